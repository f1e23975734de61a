#!/usr/bin/env python3
"""Trains a forest and a dense network on the digits, for emlearn: digits_trees.pkl, digits_dense.pkl (README.md).

Needs scikit-learn alone. The same split, seeds and one thread: two runs give the same bytes.
"""

import os

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before numpy: sums depend on their order

import pathlib
import pickle
import sys

from sklearn.ensemble import RandomForestClassifier
from sklearn.neural_network import MLPClassifier

from heldout_images import load_split

SEED = 7
PICKLE_PROTOCOL = 4
NOT_FOR_INFERENCE = ("_optimizer", "_random_state", "loss_curve_", "validation_scores_", "_no_improvement_count")


def save(path, model):
    for name in NOT_FOR_INFERENCE:
        if hasattr(model, name):
            setattr(model, name, None)
    path.write_bytes(pickle.dumps(model, PICKLE_PROTOCOL))


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    folder = folder if folder.is_dir() else folder.parent
    (images, labels), (heldout, heldout_labels) = load_split()
    images, heldout = images.reshape(len(images), -1), heldout.reshape(len(heldout), -1)
    trees = RandomForestClassifier(n_estimators=10, max_leaf_nodes=24, random_state=SEED, n_jobs=1)
    dense = MLPClassifier(hidden_layer_sizes=(24, 16), max_iter=600, random_state=SEED)
    for name, model in ("digits_trees.pkl", trees), ("digits_dense.pkl", dense):
        model.fit(images, labels)
        correct = int((model.predict(heldout) == heldout_labels).sum())
        print(f"{name}: {correct} of {len(heldout_labels)} ({correct / len(heldout_labels):.2%})")
        save(folder / name, model)


if __name__ == "__main__":
    main()
