"""The network: its layers, its training, and its conversion to TensorFlow Lite with int8 everywhere.

One thread, fixed seeds and deterministic operators: the same machine gives the same bytes. There is no batch
normalisation, so that nothing has to be folded, and conversion starts from a function of fixed shape [1, 8, 8, 1], so that
the file has no operators that compute shapes.
"""

import os

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"  # before TensorFlow is loaded: its sums depend on the processor's caches
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import keras
import numpy
import tensorflow as tf

from heldout_images import CLASSES, IMAGE_EXTENT

SEED = 7
EPOCHS = 60
BATCH = 32
LEARNING_RATE = 3e-3
DROPOUT = 0.3
LABEL_SMOOTHING = 0.1
INPUT_SHAPE = (1, IMAGE_EXTENT, IMAGE_EXTENT, 1)


def make_deterministic():
    """Call once, before anything else of TensorFlow."""
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    tf.config.experimental.enable_op_determinism()
    keras.utils.set_random_seed(SEED)


def build_network():
    """float32 [batch, 8, 8, 1] → logits [batch, 10]: 3,870 parameters."""
    return keras.Sequential([
        keras.Input(INPUT_SHAPE[1:]),
        keras.layers.Conv2D(16, 3, padding="same", activation="relu", name="conv"),
        keras.layers.DepthwiseConv2D(3, padding="same", activation="relu", name="depthwise"),
        keras.layers.Conv2D(20, 1, activation="relu", name="pointwise"),
        keras.layers.AveragePooling2D(2, name="pool"),
        keras.layers.Reshape((4 * 4 * 20,), name="flatten"),
        keras.layers.Dropout(DROPOUT),  # nothing remains of it in inference
        keras.layers.Dense(CLASSES, name="dense"),
    ], name="digits")


def train_network(images, labels):
    """A trained network; images float32 [count, 8, 8, 1] in 0..1, labels uint8 [count].

    Smoothed labels keep the logits within ±8 rather than ±60, which also leaves finer steps to their quantisation; with
    dropout they raise 3-fold cross-validation on the training images from 96.8 % to 98.5 %.
    """
    network = build_network()
    steps = EPOCHS * -(-len(images) // BATCH)
    network.compile(optimizer=keras.optimizers.Adam(keras.optimizers.schedules.CosineDecay(LEARNING_RATE, steps)),
                    loss=keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=LABEL_SMOOTHING))
    network.fit(images, numpy.eye(CLASSES, dtype=numpy.float32)[labels], batch_size=BATCH, epochs=EPOCHS, verbose=0)
    return network


def float_correct(network, images, labels):
    """How many of the images the float network gets right."""
    return int((network.predict(images, verbose=0).argmax(axis=1) == labels).sum())


def convert_to_int8(network, train_images, *, softmax):
    """The bytes of a .tflite: int8 [1, 8, 8, 1] → int8 [1, 10], probabilities or logits.

    Ranges come from all training images; convolutions have a scale per channel, the dense layer one scale.
    """
    @tf.function(input_signature=[tf.TensorSpec(INPUT_SHAPE, tf.float32, name="image")])
    def infer(image):
        logits = network(image, training=False)
        return tf.nn.softmax(logits) if softmax else logits

    converter = tf.lite.TFLiteConverter.from_concrete_functions([infer.get_concrete_function()], network)
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = lambda: ([image[numpy.newaxis]] for image in train_images)
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    converter.inference_input_type = tf.int8
    converter.inference_output_type = tf.int8
    converter.experimental_lower_to_saved_model = False  # freezes the weights; Keras 3 has them as resources there
    converter._experimental_disable_per_channel_quantization_for_dense_layers = True
    return converter.convert()
