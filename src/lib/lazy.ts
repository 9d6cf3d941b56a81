/** A function that computes its value at the first call and returns the same one after that. */
export function lazy<T>(compute: () => T): () => T {
  let computed: { readonly value: T } | null = null
  return () => {
    computed ??= { value: compute() }
    return computed.value
  }
}

/**
 * A function that keeps what it computed for each text. For texts of the source, which are few:
 * nothing is ever dropped.
 */
export function memoize<T>(compute: (text: string) => T): (text: string) => T {
  const computed = new Map<string, { readonly value: T }>()
  return (text) => {
    let entry = computed.get(text)
    if (entry === undefined) computed.set(text, (entry = { value: compute(text) }))
    return entry.value
  }
}
