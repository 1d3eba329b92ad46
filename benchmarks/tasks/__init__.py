"""What real networks are for: from a picture or a sound to faces, words and notes, and how many are the same.

A task is given networks as functions, so that the same lines find faces with the float32 networks and with
any of the quantized ones.
"""

from collections.abc import Sequence

from tasks.bodies import Bodies
from tasks.cascade import Cascade
from tasks.faces import Faces
from tasks.music import Music
from tasks.task import Task
from tasks.texts import Finder, Reader, Turner

TASKS: Sequence[Task] = (Faces(), Bodies(), Finder(), Reader(), Turner(), Cascade(), Music())
