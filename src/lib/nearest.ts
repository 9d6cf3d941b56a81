/** The known word with the smallest edit distance (Levenshtein) to a misspelt one. */
export function nearest(word: string, known: readonly string[]): string {
  let best = known[0] ?? ''
  let minDistance = Number.POSITIVE_INFINITY
  for (const candidate of known) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance < minDistance) {
      minDistance = distance
      best = candidate
    }
  }
  return best
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next.push(
        Math.min(
          (row[j] ?? 0) + 1,
          (next[j - 1] ?? 0) + 1,
          (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1),
        ),
      )
    }
    row = next
  }
  return row[b.length] ?? 0
}
