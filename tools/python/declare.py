#!/usr/bin/env python3
"""Makes saltus/_declarations.py from the public header: its constants, structs and functions for ctypes.

    declare.py HEADER                  prints the module
    declare.py HEADER --check FILE     nothing, or exit code 1 where FILE is not what would be printed
    declare.py HEADER --asserts        prints a C file that compiles where sizes and offsets are those of ctypes here

The header is read as the C preprocessor leaves it (CC, or cc). Pointers to other things than text are addresses.
"""
import importlib.util
import os
import re
import subprocess
import sys
import tempfile

PLAIN = {"double": "c_double", "int": "c_int", "long": "c_long", "size_t": "c_size_t", "bool": "c_bool",
         "_Bool": "c_bool", "void": "None"}
HEAD = '''"""Constants, structs and functions of the C library. Made by tools/python/declare.py from saltus.h: do not edit."""
from ctypes import (CFUNCTYPE, Structure, c_bool, c_char_p, c_double, c_int, c_long, c_size_t, c_void_p)

'''


class Header:
    def __init__(self, path):
        compiler = os.environ.get("CC", "cc").split()
        text = subprocess.run(compiler + ["-E", "-P", path], check=True, capture_output=True, text=True).stdout
        with open(path) as file:
            self.version = ".".join(re.findall(r"#define SAL_VERSION_(?:MAJOR|MINOR|PATCH) +(\d+)", file.read()))
        text = re.sub(r"__attribute__\s*\(\(.*?\)\)\s*\)?", "", text)
        self.text = re.sub(r"\s+", " ", text)
        self.enums = re.findall(r"typedef enum (sal_\w+) \{(.*?)\} \1 ?;", self.text)
        self.structs = re.findall(r"typedef struct (sal_\w+) \{(.*?)\} \1 ?;", self.text)
        self.callbacks = re.findall(r"typedef (\w[\w ]*?) ?\(\*(sal_\w+)\)\((.*?)\) ?;", self.text)
        self.values = {name for name, _ in self.structs}
        self.names = set(PLAIN) | self.values | {name for name, _ in self.enums} | {name for _, name, _ in self.callbacks}

    def type_of(self, text):
        """The ctypes type of a C type without a name."""
        text = re.sub(r"\bconst\b", "", text).replace(" ", "")
        if text == "char*":
            return "c_char_p"
        if text.endswith("*"):
            return "c_void_p"
        if text in PLAIN:
            return PLAIN[text]
        if text in self.values or text in {name for _, name, _ in self.callbacks}:
            return text
        if text in {name for name, _ in self.enums}:
            return "c_int"
        raise SystemExit(f"declare.py: unknown type '{text}'")

    def parameters(self, text):
        """The ctypes types of the parameters of a function."""
        if text.strip() == "void":
            return []
        return [self.type_of(re.sub(r"\w+(\[\d*\])?$", lambda name: "*" if name[1] else "", part.strip()))
                for part in text.split(",")] # all of them have names, "double mu[2]" is an address

    def pointer_to_function(self, result, parameters):
        return f"CFUNCTYPE({', '.join([self.type_of(result)] + self.parameters(parameters))})"

    def fields(self, body):
        """Pairs of names and types of the members of a struct."""
        found = []
        for member in filter(None, (part.strip() for part in body.split(";"))):
            function = re.fullmatch(r"(.*?) ?\(\*(\w+)\)\((.*)\)", member)
            if function:
                found.append((function[2], self.pointer_to_function(function[1], function[3])))
                continue
            words = member.split(",")
            base, first = re.fullmatch(r"((?:const )?\w+) ?(.*)", words[0].strip()).groups()
            for declarator in [first] + words[1:]:
                stars, name, length = re.fullmatch(r"((?:\*|const\b| )*)(\w+)(?:\[(\d+)\])?", declarator.strip()).groups()
                kind = self.type_of(base + stars)
                found.append((name, f"{kind} * {length}" if length else kind))
        return found

    def constants(self):
        """Names and values of all enums."""
        for _, body in self.enums:
            value = -1
            for item in filter(None, (part.strip() for part in body.split(","))):
                name, _, given = (word.strip() for word in item.partition("="))
                value = int(given) if given else value + 1
                yield name, value

    def functions(self):
        """Names of functions with their result and parameters."""
        for result, name, parameters in re.findall(r"[;{}] ?([\w *]*?[ *])(sal_\w+)\(([^()]*)\) ?(?=;)", self.text):
            if not result.startswith("typedef"):
                yield name, self.type_of(result), self.parameters(parameters)

    def module(self):
        lines = [HEAD, f'VERSION = "{self.version}"\n']
        lines += [f"{name} = {value}\n" for name, value in self.constants()]
        for result, name, parameters in self.callbacks:
            lines.append(f"\n{name} = {self.pointer_to_function(result, parameters)}\n")
        for name, body in self.structs:
            lines.append(f"\n\nclass {name}(Structure):\n    _fields_ = [\n")
            lines += [f'        ("{field}", {kind}),\n' for field, kind in self.fields(body)]
            lines.append("    ]\n")
        lines.append("\n\n# The type of the result, and those of the arguments.\nFUNCTIONS = {\n")
        for name, result, parameters in sorted(set((n, r, tuple(p)) for n, r, p in self.functions())):
            lines.append(f'    "{name}": ({result}, [{", ".join(parameters)}]),\n')
        lines.append("}\n")
        return "".join(lines)


def asserts(module):
    """C that holds where the structs of the module are those of the header."""
    import ctypes

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "declarations.py")
        with open(path, "w") as file:
            file.write(module)
        spec = importlib.util.spec_from_file_location("declarations", path)
        loaded = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loaded)
    print("#include <stddef.h>\n#include <saltus/saltus.h>")
    for name, value in vars(loaded).items():
        if isinstance(value, type) and issubclass(value, ctypes.Structure) and value is not ctypes.Structure:
            print(f'_Static_assert(sizeof({name}) == {ctypes.sizeof(value)}, "{name}");')
            for field, _ in value._fields_:
                place = getattr(value, field)
                print(f'_Static_assert(offsetof({name}, {field}) == {place.offset}, "{name}.{field}");')
                print(f'_Static_assert(sizeof((({name} *)0)->{field}) == {place.size}, "{name}.{field}");')
        elif isinstance(value, int):
            print(f'_Static_assert({name} == {value}, "{name}");')
    for name in loaded.FUNCTIONS:
        print(f"void *pointer_to_{name} = (void *){name};")


def main():
    if len(sys.argv) not in (2, 3, 4) or sys.argv[1] in ("-h", "--help"):
        raise SystemExit(__doc__)
    module = Header(sys.argv[1]).module()
    if sys.argv[2:3] == ["--asserts"]:
        asserts(module)
    elif sys.argv[2:3] == ["--check"]:
        with open(sys.argv[3]) as file:
            if file.read() != module:
                raise SystemExit(f"{sys.argv[3]} is not that of {sys.argv[1]}: tools/python/declare.py {sys.argv[1]} > "
                                 f"{sys.argv[3]}")
    else:
        sys.stdout.write(module)


if __name__ == "__main__":
    main()
