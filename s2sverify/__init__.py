"""Find out what a speech-to-speech voice agent really heard, said and did, from a two-channel recording.

``import s2sverify as s2s`` gives every public name flat; ``__init__.pyi`` is the list. Nothing heavy is
imported before it is used.
"""

import lazy_loader as _lazy

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
