"""Models: embeddings from the table in the package, MiniLM, a multilingual model or an endpoint; and chat models.

`embedding` chooses among the embedders, `summaries` asks the chat models. An embedder's name changes whenever its
vectors do, so that vectors of two models are never compared.

Nothing here knows what a memory is, keeps a vector on disk, chooses between models or decides when text may leave the
machine: a model embeds the texts it is given, in the calling thread. Heavy libraries (onnxruntime, numpy) are imported
by the one function that needs them, and the default model needs none.
"""
