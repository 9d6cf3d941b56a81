import { expect, test } from 'bun:test'
import { WorkflowReader } from '#src/actions/index.ts'
import { parseAction } from '#src/actions/read-action.ts'

test('reads composite and JavaScript actions', () => {
  const { action } = parseAction(
    `name: A
description: x
inputs: { who: { description: x, required: true }, mark: { description: x, default: 1.20 } }
outputs: { made: { description: x, value: '\${{ steps.a.outputs.b }}' } }
runs: { using: composite, steps: [{ id: a, run: echo, shell: bash }] }
`,
    'action.yml',
  )
  expect(action).toMatchObject({
    name: 'A',
    inputs: { who: { required: true, default: null }, mark: { required: false } },
    outputs: { made: '${{ steps.a.outputs.b }}' },
    runs: { kind: 'composite', steps: [{ id: 'a', kind: 'run', if: 'success()' }] },
  })
  const node = `name: B\ndescription: x\nruns: { using: node24, main: a.js, post: b.js, post-if: success() }\n`
  expect(parseAction(node, 'action.yml').action?.runs).toEqual({
    kind: 'node',
    version: 24,
    main: 'a.js',
    pre: null,
    post: 'b.js',
    preIf: 'always()',
    postIf: 'success()',
  })
})

test('what is wrong is named with its place', () => {
  const problem = (text: string) => parseAction(text, 'a/action.yml').problems[0]
  expect(problem('name: x\ndescription: x\nruns: { using: nothing }\n')).toMatchObject({
    file: 'a/action.yml',
    line: 3,
  })
  expect(problem('runs: [\n')).toBeDefined()
  expect(problem('x'.repeat(300_000))?.text).toContain('more than 262144 characters')
})

test('an action needs no name and no description, as on GitHub', () => {
  const read = (text: string) => parseAction(text, 'a/action.yml')
  const unnamed = read('runs: { using: node20, main: index.js }\n')
  expect(unnamed.problems).toEqual([])
  expect(unnamed.action?.name).toBe('a/action.yml')
  expect(read('name: x\n').problems[0]?.text).toContain('runs')
})

test('a thread reads actions too', async () => {
  const reader = new WorkflowReader()
  const read = await reader.readAction(
    'name: x\ndescription: x\nruns: { using: docker, image: x }\n',
    'action.yml',
  )
  expect(read.action?.runs).toEqual({
    kind: 'docker',
    image: 'x',
    entrypoint: null,
    args: null,
    env: null,
    pre: null,
    post: null,
    preIf: 'always()',
    postIf: 'always()',
  })
  await reader.close()
})
