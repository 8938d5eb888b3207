#!/usr/bin/env python3
"""links.py ROOT - what the documents lead to is there: files, folders, and headings behind a #."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])


def anchors(text):
    """Names that headings have, as GitHub makes them."""
    return {re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower()).replace(" ", "-")
            for line in text.split("\n") if line.startswith("#")}


def targets(text):
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    yield from re.findall(r"\]\(([^)\s]+)\)", text)
    yield from re.findall(r'(?:src|href)="([^"]+)"', text)


wrong = tried = 0
for document in sorted(p for p in root.rglob("*.md") if not {"build", ".git"} & set(p.relative_to(root).parts)):
    text = document.read_text()
    for target in targets(text):
        if re.match(r"[a-z]+:", target):
            continue
        tried += 1
        file, _, anchor = target.partition("#")
        path = (document.parent / file).resolve() if file else document
        if not path.exists():
            print(f"{document.relative_to(root)}: {target} is not there")
            wrong += 1
        elif anchor and path.suffix == ".md" and anchor not in anchors(path.read_text()):
            print(f"{document.relative_to(root)}: {target}: no such heading")
            wrong += 1
print(f"{tried} links, {wrong} wrong")
sys.exit(1 if wrong or tried < 50 else 0)
