"""Basic Pitch: the notes of a piece of music."""

from __future__ import annotations

import numpy as np

from tasks.task import Array, Count, Run

RATE = 22050
SAMPLES = 43844
FRAME = 256
LOWEST = 21
"""The number, as MIDI counts, of the lowest note."""

TONES = {"calibration": (0.6, 0.3, 0.15, 0.05), "held out": (0.5, 0.1, 0.25, 0.02)}
"""How loud the harmonics are: other instruments."""

Note = tuple[int, int]
"""The frame where it begins, and its number."""
Sample = tuple[Array, list[Note]]


def piece(part: str, seed: int) -> Sample:
    """Two seconds: some notes and chords, which fade, and a little noise."""
    random = np.random.default_rng(seed)
    sound = random.normal(0, 0.002, SAMPLES)
    notes: list[Note] = []
    start = 0.1
    while start < 1.5:
        length = random.uniform(0.25, 0.6)
        for number in random.choice(np.arange(45, 80), int(random.uniform(1, 4)), replace=False):
            sound += _note(part, int(number), start, length) * random.uniform(0.1, 0.3)
            notes.append((int(start * RATE / FRAME), int(number)))
        start += random.uniform(0.2, 0.5)
    return np.float32(np.clip(sound, -1, 1)).reshape(1, SAMPLES, 1), notes


def _note(part: str, number: int, start: float, length: float) -> Array:
    time = np.arange(SAMPLES) / RATE - start
    pitch = 440 * 2 ** ((number - 69) / 12)
    waves = [
        loud * np.sin(2 * np.pi * pitch * harmonic * time)
        for harmonic, loud in enumerate(TONES[part], 1)
    ]
    swell = np.clip(time / 0.01, 0, 1) * np.clip((length - time) / 0.03, 0, 1)
    return sum(waves) * swell * np.exp(-2 * np.clip(time, 0, None))


class Music:
    name = "notes"
    networks = {"basic_pitch": "nmp.onnx"}
    fixed = True

    def calibration(self) -> list[Sample]:
        return [piece("calibration", seed) for seed in range(10)]

    def held_out(self) -> list[Sample]:
        return [piece("held out", seed) for seed in range(100, 120)]

    def solve(self, sample: Sample, run: Run) -> list[Note]:
        """A note begins at a peak of the onsets, and must sound for a tenth of a second."""
        made = run("basic_pitch", {"serving_default_input_2:0": sample[0]})
        sounds = made["StatefulPartitionedCall:1"][0]
        onsets = np.pad(made["StatefulPartitionedCall:2"][0], ((1, 1), (0, 0)))
        peaks = (onsets[1:-1] > onsets[:-2]) & (onsets[1:-1] >= onsets[2:]) & (onsets[1:-1] > 0.5)
        return [
            (int(frame), int(key) + LOWEST)
            for frame, key in zip(*np.nonzero(peaks), strict=True)
            if sounds[frame : frame + 9, key].mean() > 0.3
        ]

    def same(self, found: list[Note], wanted: list[Note]) -> Count:
        """Notes of one number that begin within 50 ms of each other."""
        left = list(found)
        for frame, number in wanted:
            near = [n for n in left if n[1] == number and abs(n[0] - frame) <= 4]
            if near:
                left.remove(near[0])
        return Count(len(found) - len(left), len(wanted), len(found))

    def truth(self, sample: Sample) -> list[Note]:
        return sample[1]
