/** Words that belong to one place, and the places of SQL and of git. */
import { isProduct, lineAt, withoutComments, type Fault, type Source } from './source.ts'

type Banned = {
  readonly pattern: RegExp
  readonly message: string
  /** Files or folders that may use it. */
  readonly homes: readonly string[]
  /** Where the rule holds: in code of the product, in code of tests too, or in comments as well. */
  readonly reach: 'product' | 'code' | 'text'
}

const BANNED: readonly Banned[] = [
  {
    pattern: /\bDate\.now\b|\bnew Date\(\)/,
    message: 'the present comes from the clock (lib/time.ts)',
    homes: ['src/lib/time.ts', 'web/client'],
    reach: 'product',
  },
  {
    pattern: /\bprocess\.env\b|\bBun\.env\b/,
    message: 'the environment is read by config.ts',
    homes: ['src/config.ts', 'src/production.ts'],
    reach: 'product',
  },
  { pattern: /\bconsole\./, message: 'logs go through lib/log.ts', homes: [], reach: 'product' },
  {
    pattern: /(:|<|\bas|,|\|)\s*any\b(?!\w)/,
    message: 'any hides mistakes; name the type or use unknown',
    homes: [],
    reach: 'product',
  },
  {
    pattern: /\b(TODO|FIXME|XXX|HACK)\b/,
    message: 'unfinished things are issues, not comments',
    homes: [],
    reach: 'text',
  },
  {
    pattern: /@ts-(ignore|nocheck)/,
    message: 'the type checker is not to be silenced',
    homes: [],
    reach: 'text',
  },
  {
    pattern: /\b(test|it|describe)\.(skip|only|todo)\b/,
    message: 'no test is skipped or alone',
    homes: [],
    reach: 'code',
  },
]

const SQL = /(['"`])\s*(SELECT|INSERT INTO|INSERT OR|UPDATE \w+ SET|DELETE FROM|WITH RECURSIVE)\b/
const SQL_PLACES = [
  /^src\/core\/(db|migrate|events|jobs|idempotency|audit)\.ts$/,
  /^src\/features\/(?:[^/]+\/)+(?:[^/]+-)?store(?:-[^/]*)?\.ts$/,
  /^src\/features\/[^/]+\/store\//,
]

/** The rules themselves name what they forbid. */
const isRule = (file: string): boolean =>
  file.startsWith('scripts/tidy/') || file === 'test/tidy.test.ts'

function checkLine(file: string, code: string, text: string): string[] {
  const messages = BANNED.filter(({ pattern, homes, reach }) => {
    if (reach === 'product' && !isProduct(file)) return false
    if (homes.some((home) => file.startsWith(home))) return false
    return pattern.test(reach === 'text' ? text : code)
  }).map(({ message }) => message)
  if (file.startsWith('web/') && /\bhearth\.(db|database|writer)\b/.test(code))
    messages.push('a page calls operations, not the database')
  if (file.startsWith('src/') && SQL.test(code) && !SQL_PLACES.some((place) => place.test(file)))
    messages.push('SQL stands in a store')
  return messages
}

export function checkWords({ file, text }: Source): Fault[] {
  if (isRule(file)) return []
  const code = withoutComments(text)
  const original = text.split('\n')
  const faults = code.split('\n').flatMap((line, index) =>
    checkLine(file, line, original[index] ?? '').map((message) => ({
      file,
      line: index + 1,
      message,
    })),
  )
  // Files of a repository are shown as they are, so an operation must have let the visitor in.
  const readsGit = file.startsWith('web/') && /\bhearth\.git\b/.test(code)
  const isAllowed = /\bvisit\.call\(|\blocate\(/.test(code) && /\bfacts\.repo\(/.test(code)
  if (readsGit && !isAllowed)
    faults.push({
      file,
      line: lineAt(text, code.search(/\bhearth\.git\b/)),
      message:
        'git is read for a visitor after an operation let them in, in the store of facts.repo',
    })
  return faults
}
