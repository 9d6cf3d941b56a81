/** A function that computes its value at the first call and returns the same one after that. */
export function lazy<T>(compute: () => T): () => T {
  let computed: { readonly value: T } | null = null
  return () => {
    computed ??= { value: compute() }
    return computed.value
  }
}
