/**
 * Finds pages of wikis. A wiki is indexed as a further branch of its repository, so its text is
 * found as code is. Pages are found by their titles too, which are the names of their files.
 */
import type { DatabaseHandle } from '#core/db.ts'
import type { ChunkTexts } from './chunk-texts.ts'
import type { Deadline } from './deadline.ts'
import { findCode, type CodeFile } from './find-code.ts'
import { MAX_COUNTED, type FindRequest } from './find-request.ts'
import { findTreeRow, listTitledFiles, repoConditions } from './store-queries.ts'
import { WIKI_REF } from './wiki-ref.ts'

/** Above the score of any page that only has the words in its text. */
const TITLE_SCORE = 100

const wikiRequest = (request: FindRequest): FindRequest => ({
  ...request,
  filters: { ...request.filters, branch: WIKI_REF, generated: true },
})

function findTitled(db: DatabaseHandle, request: FindRequest): CodeFile[] {
  const pieces = (not: boolean) =>
    request.terms
      .filter((term) => term.not === not)
      .map(({ text }) => text.trim().replaceAll('-', ' '))
      .filter((text) => text !== '')
  const wanted = pieces(false)
  if (wanted.length === 0) return []
  const repos = repoConditions('wiki', request.scope, request.filters)
  const rows = listTitledFiles(db, WIKI_REF, wanted, pieces(true), repos, MAX_COUNTED)
  return rows.flatMap(({ blob, tree: id, dir, name, language }) => {
    const tree = findTreeRow(db, id)
    const path = dir === '' ? name : `${dir}/${name}`
    return tree ? [{ blob, tree, path, language, score: TITLE_SCORE, at: '', chunks: [null] }] : []
  })
}

export function findWiki(
  db: DatabaseHandle,
  texts: ChunkTexts,
  request: FindRequest,
  deadline: Deadline,
): { files: CodeFile[]; incomplete: boolean } {
  const { files, incomplete } = findCode(db, texts, wikiRequest(request), deadline, 'wiki')
  const titled = findTitled(db, request)
  const keyOf = ({ tree, path }: CodeFile): string => `${tree.id} ${path}`
  const known = new Set(titled.map(keyOf))
  const all = [...titled, ...files.filter((file) => !known.has(keyOf(file)))]
  return { files: all.slice(0, MAX_COUNTED), incomplete }
}
