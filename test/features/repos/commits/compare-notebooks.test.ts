import { expect, test } from 'bun:test'
import { compareNotebooks } from '#features/repos/index.ts'
import { makeWorld, refusal } from '../../../world.ts'

const REPO = 'acme/site'

const code = (id: string, source: string, outputs: unknown[] = []) => ({
  cell_type: 'code',
  id,
  source,
  outputs,
  execution_count: 1,
})
const notebook = (cells: unknown[], more: object = {}): string =>
  JSON.stringify({
    nbformat: 4,
    nbformat_minor: 5,
    metadata: { language_info: { name: 'python' } },
    cells,
    ...more,
  })

async function setUp(before: string, after: string) {
  const world = await makeWorld()
  const ada = await world.user('ada')
  await world.workspace('acme', { owner: ada })
  await world.repo(REPO, { as: ada, private: true })
  const old = await world.commit(REPO, 'main', { 'a.ipynb': before })
  const now = await world.commit(REPO, 'main', { 'a.ipynb': after })
  const compare = async (
    input: { before?: string; after?: string } = { before: old, after: now },
  ) => (await world.call(compareNotebooks, ada, { repo: REPO, path: 'a.ipynb', ...input })).change
  return { world, old, now, compare }
}

test('cells are compared by their ids, with the lines of their sources', async () => {
  const { world, old, now, compare } = await setUp(
    notebook([
      code('one', 'a = 1\nb = 2'),
      code('two', 'same', [{ output_type: 'stream', text: 'old' }]),
      code('three', 'gone'),
      code('four', 'stays'),
    ]),
    notebook([
      code('new', 'import x'),
      code('one', 'a = 1\nb = 3'),
      code('two', 'same', [{ output_type: 'stream', text: 'new' }]),
      code('four', 'stays'),
    ]),
  )
  const change = await compare()
  expect(change?.unchanged).toBe(1)
  expect(
    change?.cells.map(({ status, number, hunks, outputs_changed }) => [
      status,
      number,
      outputs_changed,
      hunks.flatMap(({ lines }) => lines.map(({ kind, text }) => `${kind} ${text}`)),
    ]),
  ).toEqual([
    ['added', 1, false, ['add import x']],
    ['modified', 2, false, ['context a = 1', 'del b = 2', 'add b = 3']],
    ['modified', 3, true, []],
    ['removed', 3, false, ['del gone']],
  ])
  const added = await compare({ after: now })
  expect(added?.cells.map(({ status }) => status)).toEqual(['added', 'added', 'added', 'added'])
  const removed = await compare({ before: old })
  expect(removed?.cells.map(({ status }) => status)).toEqual(Array(4).fill('removed'))
  const bob = await world.user('bob')
  const refused = world.call(compareNotebooks, bob, { repo: REPO, path: 'a.ipynb', after: now })
  expect((await refusal(refused)).code).toBe('not_found')
})

test('cells without ids are the same while their source is', async () => {
  const cells = (sources: string[]) =>
    sources.map((source) => ({ cell_type: 'markdown', source: [source], metadata: {} }))
  const { compare } = await setUp(
    notebook(cells(['# One', 'two', 'three'])),
    notebook(cells(['new', '# One', '2', 'three'])),
  )
  expect((await compare())?.cells.map(({ status, number }) => [status, number])).toEqual([
    ['added', 1],
    ['modified', 3],
  ])
})

test('what is no notebook, too large or nested too deeply is compared as lines', async () => {
  const fine = notebook([code('one', 'a')])
  const cases = [
    '{"nbformat": 3, "worksheets": []}',
    '['.repeat(200_000) + ']'.repeat(200_000),
    notebook([code('one', 'a', [JSON.parse(`{"a": ${'['.repeat(5_000)}${']'.repeat(5_000)}}`)])]),
    notebook([code('one', 'x'.repeat(300_000))]),
    notebook(Array.from({ length: 501 }, (_, at) => code(`c${at}`, 'a'))),
    notebook([code('one', 'a')], { padding: 'x'.repeat(1_100_000) }),
  ]
  for (const hostile of cases) {
    const { compare } = await setUp(fine, hostile)
    expect(await compare()).toBeNull()
  }
})
