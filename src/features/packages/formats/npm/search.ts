/** `npm search`. The scores are there because clients sort by them; all are equal. */
import type { Hearth } from '#core/hearth.ts'
import type { DoorRequest } from '../../door/door-request.ts'
import { jsonResponse } from '../../door/door-response.ts'
import { listPackages } from '../../list-packages.ts'

const DEFAULT_SIZE = 20
const MAX_SIZE = 100
const SCORE = { final: 1, detail: { quality: 1, popularity: 1, maintenance: 1 } }

/** The words without qualifiers such as `author:`, which are searched as words. */
const wordsOf = (text: string): string =>
  text.replace(/\b(keywords|author|maintainer|scope):/g, '').trim()

const numberOf = (text: string | null, usual: number): number => {
  const value = Number(text ?? usual)
  return Number.isSafeInteger(value) && value >= 0 ? value : usual
}

export async function search(hearth: Hearth, door: DoorRequest): Promise<Response> {
  const { query } = door
  const size = Math.min(MAX_SIZE, Math.max(1, numberOf(query.get('size'), DEFAULT_SIZE)))
  const from = numberOf(query.get('from'), 0)
  const { items, total = 0 } = await door.callOther(listPackages, {
    workspace: door.workspace,
    package_type: 'npm',
    q: wordsOf(query.get('text') ?? '').slice(0, 200),
    page: Math.floor(from / size) + 1,
    per_page: size,
  })
  const objects = items.map((item) => ({
    package: {
      name: item.name,
      version: item.latest ?? '',
      description: item.description ?? '',
      date: item.updated_at,
      keywords: [],
      maintainers: [],
      publisher: { username: item.workspace, email: '' },
      links: { npm: item.html_url },
    },
    score: SCORE,
    searchScore: 1,
  }))
  return jsonResponse({ objects, total, time: hearth.clock.now() })
}
