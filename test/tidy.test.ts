import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { checkHomes, checkThreads } from '../scripts/tidy/imports.ts'
import { checkLists, checkOperations, checkTables } from '../scripts/tidy/operations.ts'
import { checkExceptions, isSuperLinear } from '../scripts/tidy/shape.ts'
import { checkSource, tidy } from '../scripts/tidy.ts'

test('the source tree follows its rules', () => {
  expect(tidy(join(import.meta.dir, '..'))).toEqual([])
})

/** A fault planted in a file, and the words that its report must hold. */
const PLANTED: [file: string, text: string, words: string][] = [
  [
    'web/pages/planted.tsx',
    "export const stateOf = (open: boolean) => (open ? 'Open' : t('Closed'))\n",
    '"Open" is not in t(',
  ],
  ['src/lib/a.ts', `import { x } from '#core/db.ts'`, 'lib imports nothing'],
  ['src/git/a.ts', `import { x } from '../core/db.ts'`, 'git imports lib only'],
  ['src/runner/a.ts', `import { x } from '#core/db.ts'`, 'runner imports lib, assets only'],
  ['src/features/checks/a.ts', `import { x } from '../../runner/run.ts'`, 'a feature imports core'],
  ['src/core/a.ts', `import { x } from '#features/issues/index.ts'`, 'core imports lib, git only'],
  ['src/core/a.ts', `import { x } from '../git/store/x.ts'`, 'core imports lib, git only'],
  [
    'src/http/a.ts',
    `import { x } from '#features/issues/index.ts'`,
    'http imports core, lib, git only',
  ],
  [
    'src/features/issues/a.ts',
    `import { x } from '#features/pulls/index.ts'`,
    'the trunk goes from',
  ],
  [
    'src/features/pulls/a.ts',
    `import { x } from '#features/issues/store.ts'`,
    'entered through its index',
  ],
  [
    'src/features/pulls/a.ts',
    `import { x } from '#features/webhooks/index.ts'`,
    'a leaf is imported by no feature',
  ],
  [
    'src/features/pulls/a.ts',
    `import {\n  x,\n} from '#http/rest/rest-routes.ts'`,
    'a feature imports core',
  ],
  ['web/pages/a.tsx', `import { x } from '#features/issues/store.ts'`, 'index or schema'],
  ['web/pages/a.tsx', `import { x } from '#core/db.ts'`, 'not the database'],
  ['web/pages/a.tsx', `const row = visit.hearth.db.one('x')`, 'not the database'],
  [
    'web/pages/a.ts',
    `const file = await visit.hearth.git.blob(store, oid)`,
    'after an operation let them in',
  ],
  ['src/features/issues/a.ts', `import { Cache } from 'lru-cache'`, 'lru-cache is at home in'],
  [
    'src/features/issues/a.ts',
    `const { Database } = await import('bun:sqlite')`,
    'bun:sqlite is at home in',
  ],
  ['src/features/issues/a.ts', `import x from 'left-pad'`, 'has no home yet'],
  ['src/features/issues/a.ts', `const now = Date.now()`, 'comes from the clock'],
  ['src/features/issues/a.ts', `const now = new Date()`, 'comes from the clock'],
  ['src/http/a.ts', `const port = process.env.PORT`, 'read by config.ts'],
  ['src/http/a.ts', `console.log(1)`, 'lib/log.ts'],
  ['src/http/a.ts', `const x = y as any`, 'any hides mistakes'],
  ['src/http/a.ts', `const x: any = 1`, 'any hides mistakes'],
  ['src/http/a.ts', `// TODO later`, 'unfinished'],
  [
    'src/features/issues/close-issue.ts',
    'tx.db.run(`UPDATE issues SET state = 1`)',
    'SQL stands in a store',
  ],
  [
    'src/features/pulls/a.ts',
    `import { x } from '#features/issues/labels/schema.ts'`,
    'entered through its index',
  ],
  ['src/core/a.ts', `const seen = new WeakMap()`, 'seen is state of a module'],
  ['src/core/a.ts', `let count = 0`, 'count is state of a module'],
  ['src/core/a.ts', `const trim = /\\s+$/`, 'takes more than linear time'],
  ['src/core/a.ts', `function f() {\n${'  g()\n'.repeat(60)}}`, 'f has 62 lines, at most 60'],
  ['test/a.test.ts', `test.skip('x', () => {})`, 'no test is skipped'],
]

for (const [file, text, words] of PLANTED) {
  test(`finds in ${file}: ${text.split('\n')[0]}`, () => {
    expect(
      checkSource({ file, text })
        .map(({ message }) => message)
        .join('\n'),
    ).toContain(words)
  })
}

test('leaves alone what is allowed', () => {
  const fine: [string, string][] = [
    ['src/lib/time.ts', `const now = Date.now()`],
    ['src/features/issues/store.ts', 'db.all(`SELECT * FROM issues`)'],
    [
      'src/features/pulls/a.ts',
      `import { x } from '#features/issues/index.ts'\nimport { y } from '#git'`,
    ],
    ['src/features/webhooks/a.ts', `import { x } from '#features/pulls/events.ts'`],
    ['src/features/issues/a.ts', `// Date.now is not for us\nconst company = 'any'`],
    [
      'web/pages/a.ts',
      `await visit.call(getRepo, { repo })\nconst grant = visit.hearth.facts.repo(repo, visit.caller)\nawait visit.hearth.git.blob(grant.store, oid)`,
    ],
    ['src/app.ts', `import { x } from '#features/issues/store.ts'`],
  ]
  expect(fine.flatMap(([file, text]) => checkSource({ file, text }))).toEqual([])
})

test('an operation has its own file and its test', () => {
  const sources = [
    {
      file: 'src/features/issues/other.ts',
      text: `export const x = operation({\n  name: 'close_issue',`,
    },
  ]
  expect(checkOperations(sources, new Set()).map(({ message }) => message)).toEqual([
    'the operation close_issue belongs in close-issue.ts',
    'the operation close_issue has no test at test/features/issues/other.test.ts',
  ])
})

test('a list of operations holds exports only, and names each operation', () => {
  const path = 'src/features/issues/operations.ts'
  const list = `/** The operations. */\nexport { closeIssue } from './close-issue.ts'\nconst x = 1\n`
  const lists = new Map([[path, list]])
  expect(checkLists(lists)).toEqual([{ file: path, line: 3, message: 'holds one export a line' }])
  const source = {
    file: 'src/features/issues/pin-issue.ts',
    text: `export const pinIssue = operation({\n  name: 'pin_issue',`,
  }
  const tests = new Set(['test/features/issues/pin-issue.test.ts'])
  expect(checkOperations([source], tests, lists).map(({ message }) => message)).toEqual([
    'the operation pin_issue has no line in src/features/issues/operations.ts',
  ])
})

test('exceptions and homes that nothing needs are faults', () => {
  const lists = [{ 'src/a.ts f': 70, 'src/b.ts g': 80 }]
  expect(checkExceptions(new Set(['src/a.ts f']), lists).map(({ message }) => message)).toEqual([
    'nothing needs the exception "src/b.ts g"',
  ])
  const stale = checkHomes([{ file: 'src/ssh/a.ts', text: `import ssh2 from 'ssh2'` }])
  const messages = stale.map(({ message }) => message)
  expect(messages).toContain('src/lib/mail.ts does not import nodemailer: take the home away')
  expect(messages).not.toContain('src/ssh/ does not import ssh2: take the home away')
})

test('a thread that loads a whole feature is a fault, however far away the import is', () => {
  const thread = { file: 'src/text.worker.ts', text: `import { render } from '#web/text.ts'` }
  const between = (text: string) => ({ file: 'web/text.ts', text })
  const faults = checkThreads([thread, between(`import { a } from '#features/issues/index.ts'`)])
  expect(faults.map(({ message }) => message)).toEqual([
    'a thread loads a whole feature: src/features/issues/index.ts',
  ])
  const type = between(`import type { A } from '#features/issues/index.ts'`)
  expect(checkThreads([thread, type])).toEqual([])
})

test('patterns that take quadratic time are told from linear ones', () => {
  const slow = ['\\/+$', '^\\s*(.*?)\\s*$', '(a+)+b', '\\r+\\n', '<[^>]*>']
  const fine = ['^\\/+', '^[a-z]+$', '\\d{1,9}', '^(?:[a-z]+-)*[a-z]+$']
  expect(slow.filter((pattern) => !isSuperLinear(pattern, ''))).toEqual([])
  expect(fine.filter((pattern) => isSuperLinear(pattern, ''))).toEqual([])
})

test('a table has one writer', () => {
  const sources = [
    { file: 'src/features/issues/store.ts', text: 'db.run(`UPDATE labels SET name = ?`)' },
    { file: 'src/features/pulls/store.ts', text: 'db.run(`INSERT INTO labels (name) VALUES (?)`)' },
  ]
  expect(checkTables(sources).map(({ message }) => message)).toEqual([
    'the table labels is written by features/issues (src/features/issues/store.ts)',
  ])
})
