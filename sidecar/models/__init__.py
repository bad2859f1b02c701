"""Models that give texts numbers: embeddings the table in the package, MiniLM, a multilingual model, an endpoint.

Each embedder has a name that changes whenever its vectors do, so that vectors of two models are never compared.
`vectors.py` compares them. Nothing here knows what a memory is, keeps a vector on disk, chooses between models or
decides when text may leave the machine: it embeds the texts it is given, in the thread that asks. What is heavy
(onnxruntime, numpy) is imported by the one function that needs it, and the default needs none of it.
"""
