"""Runs of a program that may take so much of the processor: machines may be busy, so that the clock says little."""
import resource
import signal
import subprocess

LONGEST_SECONDS = 1800  # on the clock: waits for ever


def limit_processor(seconds):
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))


def ran_out(status):
    """Whether a program, or one that a shell ran, ended for that."""
    return status in (-signal.SIGXCPU, 128 + signal.SIGXCPU)


def run(words, seconds, **how):
    """As subprocess.run; raises TimeoutExpired where it takes `seconds` of the processor, or waits for ever."""
    ran = subprocess.run(words, timeout=LONGEST_SECONDS, preexec_fn=lambda: limit_processor(seconds), **how)
    if ran_out(ran.returncode):
        raise subprocess.TimeoutExpired(words, seconds)
    return ran
