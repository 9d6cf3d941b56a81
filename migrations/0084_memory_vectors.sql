-- What a model for embeddings made of a memory: eight bits a value, of length 127. `folded` is the
-- text that it was made of, so that a changed text gets another.
CREATE TABLE memory_vectors (
  memory_id TEXT PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
  model TEXT NOT NULL,
  folded TEXT NOT NULL,
  vector BLOB NOT NULL
) STRICT, WITHOUT ROWID;
