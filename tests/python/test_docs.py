"""The examples in the documentation of the module, and in its README.md, do what they say."""
import doctest
import importlib
import os
import pkgutil
import tempfile
import unittest

import saltus
from common import ROOT, SCENES

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


class Documentation(unittest.TestCase):
    def test_docstrings(self):
        tried = 0
        for module in [saltus] + [importlib.import_module("saltus." + m.name) for m in pkgutil.iter_modules(saltus.__path__)]:
            found = doctest.testmod(module, extraglobs={"scenes": SCENES}, optionflags=FLAGS)
            self.assertEqual(found.failed, 0, module.__name__)
            tried += found.attempted
        self.assertGreater(tried, 40)

    def test_readme(self):
        here = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                found = doctest.testfile(str(ROOT / "tools" / "python" / "README.md"), module_relative=False,
                                         globs={"scenes": SCENES}, optionflags=FLAGS)
            finally:
                os.chdir(here)
        self.assertEqual(found.failed, 0)
        self.assertGreater(found.attempted, 30)

    def test_everything_is_documented(self):
        for name in saltus.__all__:
            thing = getattr(saltus, name)
            if isinstance(thing, str):
                continue
            self.assertTrue(thing.__doc__, name)
            for key, member in vars(thing).items() if isinstance(thing, type) else ():
                if not key.startswith("_") and (callable(member) or isinstance(member, property)):
                    self.assertTrue(member.__doc__, f"{name}.{key}")


if __name__ == "__main__":
    unittest.main()
