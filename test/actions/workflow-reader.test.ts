import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { MAX_WORKFLOW_LENGTH, parseUses, WorkflowReader } from '#actions'

let reader: WorkflowReader
beforeAll(() => {
  reader = new WorkflowReader()
})
afterAll(() => reader.close())

const job = (lines: string): string =>
  `on: push\njobs:\n  build:\n    runs-on: ubuntu-latest\n${lines}`

const problems = async (text: string) =>
  (await reader.read(text, 'ci.yml')).problems.map(
    ({ file, line, column, text }) => `${file}:${line}:${column} ${text}`,
  )

test('a slip is told with its place', async () => {
  const found = await problems(job('    stesp:\n      - run: echo hi\n'))
  expect(found).toEqual(["ci.yml:5:5 Unexpected value 'stesp'"])
})

test('the file of one owner does not wait for the many of another', async () => {
  const ended: string[] = []
  const read = (owner: string, n: number) =>
    reader.read(job(`    steps: [{ run: '${n}' }]\n`), 'ci.yml', owner).then(() => {
      ended.push(owner)
    })
  await Promise.all([...Array.from({ length: 9 }, (_, n) => read('many', n)), read('one', 0)])
  expect(ended.indexOf('one')).toBe(1)
})

test('scripts, folded texts and numbers come as YAML has them', async () => {
  const { workflow } = await reader.read(
    job(
      '    env: { N: 1.20, B: true }\n    steps:\n      - run: |\n          python3 - <<EOF\n          if x:\n              ${{ github.ref }}\n          EOF\n      - run: >\n          one\n          two\n',
    ),
    'ci.yml',
  )
  const [build] = workflow?.jobs ?? []
  if (build?.kind !== 'steps') throw new Error('no steps')
  expect(build.steps.map((step) => step.kind === 'run' && step.run)).toEqual([
    'python3 - <<EOF\nif x:\n    ${{ github.ref }}\nEOF\n',
    'one two\n',
  ])
  expect(build.steps.map(({ id }) => id)).toEqual(['__run', '__run_2'])
  expect(build.env).toEqual({ N: 1.2, B: true })
  // Stored as JSON and back.
  expect(JSON.parse(JSON.stringify(workflow))).toEqual(workflow)
})

test('aliases are read, merge keys are refused with their place', async () => {
  const steps = '    steps: &s\n      - run: a\n'
  const { workflow } = await reader.read(`${job(steps)}  b:\n    runs-on: x\n    steps: *s\n`, 'a')
  expect(workflow?.jobs.map((one) => one.kind === 'steps' && one.steps.length)).toEqual([1, 1])
  expect(await problems(`${job(steps)}    env:\n      <<: { A: 1 }\n`)).toEqual([
    'ci.yml:8:7 Merge keys (<<) are not supported; anchors and aliases are',
  ])
})

test.each([
  [
    'two jobs that need each other',
    '  a: { needs: b, runs-on: x }\n  b: { needs: a, runs-on: x }',
    'creates a cycle',
  ],
  ['an unknown need', '  a: { needs: no, runs-on: x }', "depends on unknown job 'no'"],
  [
    'a condition that reads secrets',
    '  a: { if: secrets.X, runs-on: x }',
    "Unrecognized named-value: 'secrets'",
  ],
  [
    'an id twice',
    '  a: { runs-on: x, steps: [{ id: s, run: x }, { id: S, run: x }] }',
    'more than once',
  ],
  [
    'a step in the background',
    '  a: { runs-on: x, steps: [{ id: s, run: x, background: true }] }',
    "Unexpected value 'background'",
  ],
  [
    'a step that waits for others',
    '  a: { runs-on: x, steps: [{ run: x }, { wait-all: }] }',
    "Unexpected value 'wait-all'",
  ],
  [
    'a called file outside of the repository',
    '  a: { uses: ./../.github/workflows/x.yml }',
    'Expected ./.github/workflows/file.yml',
  ],
  [
    'a called file elsewhere',
    '  a: { uses: ./other/x.yml }',
    'Expected ./.github/workflows/file.yml',
  ],
])('%s is told', async (_, jobs, text) => {
  const found = await problems(`on: push\njobs:\n  z: { runs-on: x }\n${jobs}\n`)
  expect(found.join('\n')).toContain(text)
})

test('steps in parallel run one after the other, with a warning at their place', async () => {
  const { workflow, problems } = await reader.read(
    job('    steps: [{ run: a }, { parallel: [{ run: b }, { id: c, run: c }] }, { run: d }]\n'),
    'a.yml',
  )
  expect(problems).toEqual([])
  const steps = workflow?.jobs[0]?.kind === 'steps' ? workflow.jobs[0].steps : []
  expect(steps.map((step) => [step.number, step.kind === 'run' && step.run])).toEqual([
    [1, 'a'],
    [2, 'b'],
    [3, 'c'],
    [4, 'd'],
  ])
  expect(workflow?.warnings.map(({ line, column, text }) => [line, column, text])).toEqual([
    [5, 25, "The steps of 'parallel' run one after the other here"],
  ])
})

test('steps use actions beside the workspace', async () => {
  const { problems } = await reader.read(
    job('    steps: [{ uses: ./../action/init }, { uses: ./ }, { uses: ./a//b/ }]\n'),
    'a.yml',
  )
  expect(problems).toEqual([])
  expect(parseUses('./../action/init')).toEqual({ kind: 'local', path: '../action/init' })
  expect(parseUses('./')).toEqual({ kind: 'local', path: '' })
  expect(parseUses('./a//./b/')).toEqual({ kind: 'local', path: 'a/b' })
  expect(parseUses('acme/tools/../x@v1')).toBeNull()
})

test('what is valid and has no effect here is a warning with its place', async () => {
  const { workflow, problems } = await reader.read(
    `on: [push, discussion]\npermissions:\n  pages: write\n${job(
      '    if: ${{ github.ref }} == 1\n    steps: [{ run: x }]\n',
    ).slice('on: push\n'.length)}`,
    'a.yml',
  )
  expect(problems).toEqual([])
  expect(workflow?.neverHappens).toEqual(['discussion'])
  expect(workflow?.warnings.map(({ line, column }) => [line, column])).toEqual([
    [7, 9],
    [3, 3],
  ])
})

describe('hostile files', () => {
  /** 300 bytes that are billions of values. */
  const bomb = (): string => {
    let text = 'a0: &a0 [x, x, x, x, x, x, x, x, x]\n'
    for (let i = 1; i < 12; i++)
      text += `a${i}: &a${i} [${Array(9)
        .fill(`*a${i - 1}`)
        .join(', ')}]\n`
    return text
  }

  test.each([
    ['aliases within aliases', bomb(), 'values'],
    ['an alias within its own anchor', 'on: &a [*a]\n', 'within its own anchor'],
    ['deep nesting', `on: ${'['.repeat(20_000)}`, ''],
    ['nesting that is closed', `on: ${'['.repeat(3_000)}${']'.repeat(3_000)}`, ''],
    ['a long file', `# ${'x'.repeat(MAX_WORKFLOW_LENGTH)}\n${job('')}`, 'more than 256 KB'],
    ['no text at all', '', ''],
    ['bytes of another file', '\u0000\u0001\uFFFD\u001b[2J', ''],
    ['a key that is a list', 'on: push\n? [a]\n: b\n', 'A key is text'],
  ])('%s: refused in one line, and the next file is read', async (_, text, said) => {
    const { workflow, problems } = await reader.read(text, 'x.yml')
    expect(workflow).toBeNull()
    expect(problems.length).toBeGreaterThan(0)
    for (const { text } of problems) expect(text).not.toMatch(/[\n\u001b]/)
    expect(problems[0]?.text).toContain(said)
    expect((await reader.read(job('    steps: [{ run: x }]\n'), 'y.yml')).problems).toEqual([])
  })

  test('one slip in many lines gives ten problems at most', async () => {
    const found = await problems(job(`    steps:\n${'      - runn: x\n'.repeat(500)}`))
    expect(found.length).toBe(10)
  })

  test('files changed at random are read or refused, never more than that', async () => {
    const seed = job(
      "    strategy: { matrix: { a: [1, 2], include: [{ b: '${{ github.ref }}' }] } }\n    steps:\n      - &x { run: 'echo ${{ env.A }}', if: always() }\n      - *x\n",
    )
    // A generator of our own, so that a failure can be repeated.
    let state = 12_345
    const random = (below: number): number => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31
      return state % below
    }
    const pieces = [
      '${{',
      '}}',
      '&a ',
      '*a',
      ': ',
      '- ',
      '\n',
      '  ',
      '[',
      '{',
      "'",
      '"',
      '!!int ',
      '|',
      '>',
      '#',
      '\t',
    ]
    for (let round = 0; round < 300; round++) {
      let text = seed
      for (let change = random(6); change >= 0; change--) {
        const at = random(text.length)
        text =
          text.slice(0, at) + (pieces[random(pieces.length)] ?? '') + text.slice(at + random(4))
      }
      const { workflow, problems } = await reader.read(text, 'fuzz.yml')
      expect([text, workflow === null]).toEqual([text, problems.length > 0])
    }
  })
})
