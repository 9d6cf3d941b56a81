/** Lists of issues and pull requests of several repositories. */

export type RecordReference = { readonly repo_id: string; readonly number: number }

/**
 * Loads records by their references, those of a repository together. Returns a function that finds one. Records that
 * are not there are left out.
 */
export function recordsByRepo<R extends { readonly number: number }>(
  references: readonly RecordReference[],
  load: (repo_id: string, numbers: number[]) => readonly R[],
): (reference: RecordReference) => R | undefined {
  const records = new Map<string, Map<number, R>>()
  for (const [repo_id, ofRepo] of Map.groupBy(references, (reference) => reference.repo_id)) {
    const numbers = [...new Set(ofRepo.map(({ number }) => number))]
    records.set(repo_id, new Map(load(repo_id, numbers).map((record) => [record.number, record])))
  }
  return ({ repo_id, number }) => records.get(repo_id)?.get(number)
}
