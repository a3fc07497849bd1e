"""Error classes. Every message gives the name, the rule and the value received."""


class VerifyError(Exception):
    """Root of every error that s2sverify raises on purpose."""


class InputError(VerifyError, ValueError):
    """An argument or a file does not fit its rule."""


class ChannelError(InputError):
    """The recording does not have the channels that a measurement needs."""


class SilenceError(InputError):
    """A signal that must hold sound is silent."""


class MissingDependencyError(VerifyError, ImportError):
    """An optional package is needed and not installed; the message says what to install."""


class EngineError(VerifyError, RuntimeError):
    """A speech-to-text or embedding backend failed; its own error is attached as the cause."""


class StaleFloorError(VerifyError, RuntimeError):
    """An error floor was asked to speak for an engine, voice or line it was not measured on."""
