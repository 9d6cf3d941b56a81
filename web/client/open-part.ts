// Opens the part of a long page that has what the address names behind `#`, which no server sees.

/** Names it to the server by a value of the query, in place of others, unless that was tried. */
export function openPart(name: string, value: string, others: readonly string[] = []): void {
  const url = new URL(location.href)
  if (url.searchParams.get(name) === value) return
  for (const other of others) url.searchParams.delete(other)
  url.searchParams.set(name, value)
  location.replace(url)
}
