"""How a test waits. A busy machine is no fault of the tracker: no test is red because something took long.

in_the_end(happens)     it has to happen, sometime: the limit is so generous that only what never comes meets it
stays(holds, seconds)   nothing else happens meanwhile. It may pass on a slow machine for want of time, and never fails
                        for that reason, so a few seconds are enough
glance(happens)         a look that may be in vain, for loops that go on either way; no verdict hangs on its time

That something does not happen too early is a lower limit, and those are allowed. How long something takes is
measured, by the programs measure-*, which are never red for a number."""
import time

# Seconds. What takes longer on a machine that still does anything does not happen at all.
IN_THE_END = 60.0


def poll(happens, seconds, every=0.02):
    """The first true value of `happens()`, or its last one when the time is over."""
    end = time.monotonic() + seconds
    while True:
        value = happens()
        if value or time.monotonic() > end:
            return value
        time.sleep(every)


def glance(happens, seconds=0.3, every=0.02):
    """Whether it happens right now; somebody looks again."""
    return poll(happens, seconds, every)


def in_the_end(happens, every=0.02, seconds=IN_THE_END):
    """The first true value of `happens()`; its last one where it never came to be. `seconds`: for what takes more
    than IN_THE_END by itself."""
    assert seconds >= IN_THE_END, "a limit of %g s fails on a busy machine" % seconds
    return poll(happens, seconds, every)


def stays(holds, seconds, every=0.05):
    """Whether `holds()` is true from now on for so long."""
    return not poll(lambda: not holds(), seconds, every)



def quiet_span(count, seconds, every=0.05):
    """Whether there comes a span of so many seconds in which `count()` stays the same."""
    def is_quiet():
        before = count()
        return stays(lambda: count() == before, seconds, every)
    return in_the_end(is_quiet)
