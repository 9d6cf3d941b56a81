/** Maximum size of a commit, tree or tag. They are held in memory whole, also on the event loop. */
export const MAX_NON_BLOB_BYTES = 32 << 20
