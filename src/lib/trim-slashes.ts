/** Removes the slashes at both ends of a text, in linear time. The pattern `/\/+$/` is quadratic. */
export function trimSlashes(text: string): string {
  let start = 0
  while (text[start] === '/') start++
  return trimTrailingSlashes(text.slice(start))
}

/** Removes the slashes at the end of a text, in linear time. */
export function trimTrailingSlashes(text: string): string {
  let end = text.length
  while (text[end - 1] === '/') end--
  return text.slice(0, end)
}
