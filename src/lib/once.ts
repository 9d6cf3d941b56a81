/** Returns a function that computes a value when it is first called, and remembers it. */
export function once<T>(compute: () => T): () => T {
  let result: { readonly value: T } | null = null
  return () => (result ??= { value: compute() }).value
}
