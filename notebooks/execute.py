"""Executes every notebook in this folder and fails where a cell fails.

`--write` stores what the cells showed; without it nothing is changed.
"""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parent


def execute(path: Path, write: bool) -> None:
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(FOLDER)}})
    client.execute()
    if write:
        for cell in notebook.cells:
            cell.metadata.pop("execution", None)
        nbformat.write(notebook, path)


def main() -> None:
    write = "--write" in sys.argv[1:]
    notebooks = sorted(FOLDER.glob("*.ipynb"))
    for path in notebooks:
        print(f"{path.name} …", end=" ", flush=True)
        execute(path, write)
        print("ok")
    print(f"{len(notebooks)} passed, 0 failed")


if __name__ == "__main__":
    main()
