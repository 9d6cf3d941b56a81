import { expect, test } from 'bun:test'
import { makeExecutions } from './executions.ts'

const { execute } = await makeExecutions()

const job = (steps: string): string => `
jobs:
  build:
    runs-on: ubuntu-latest
    outputs: { made: '\${{ steps.use.outputs.made }}' }
    steps:
      - uses: actions/checkout@v4
${steps}`

const GREET = `
name: Greet
description: Says hello
inputs:
  who: { description: x, required: true }
  mark: { description: x, default: '!' }
outputs:
  made: { description: x, value: '\${{ steps.make.outputs.text }}' }
runs:
  using: composite
  steps:
    - id: make
      shell: bash
      run: |
        echo "text=hello \${{ inputs.who }}\${{ inputs.mark }}" >>"$GITHUB_OUTPUT"
        echo "path \${{ github.action_path }} $GITHUB_ACTION_PATH $FROM_STEP"
    - shell: bash
      run: echo "inner \${{ steps.make.outputs.text }}"
    - { shell: bash, if: failure(), run: echo never }
`

test('a composite action of the repository runs with its inputs, and gives its outputs', async () => {
  const { text, outputs, conclusion, ends } = await execute(
    job(`
      - { id: use, uses: ./.github/actions/greet, with: { WHO: you }, env: { FROM_STEP: step } }
      - run: echo "outer \${{ steps.use.outputs.made }} [\${{ steps.make.outputs.text }}]"
`),
    { files: { '.github/actions/greet/action.yml': GREET } },
  )
  expect(conclusion).toBe('success')
  expect(outputs).toEqual({ made: 'hello you!' })
  const path = '/work/site/site/.github/actions/greet'
  expect(text).toContain(`\npath ${path} ${path} step\n`)
  expect(text).toContain('\ninner hello you!\n')
  expect(text).toContain('\nouter hello you! []')
  expect(text).not.toContain('\nnever')
  expect(ends).toHaveLength(3)
})

test('a failure within a composite action fails its step, and cleans up within', async () => {
  const { ends, text } = await execute(
    job(`
      - { name: use, uses: ./action }
      - { name: next, run: echo next }
`),
    {
      files: {
        'action/action.yaml': `
name: x
description: x
runs:
  using: composite
  steps:
    - { shell: sh, run: exit 3 }
    - { shell: sh, run: echo skipped }
    - { shell: sh, if: always(), run: echo cleaned }
`,
      },
    },
  )
  expect(ends.slice(1)).toEqual(['use: failure', 'next: skipped'])
  expect(text).toContain('\ncleaned')
  expect(text).not.toContain('\nskipped')
})

test('an action that is missing, wrong or endless is an error of its step', async () => {
  const { annotations } = await execute(
    job(`
      - { uses: ./nowhere, continue-on-error: true }
      - { uses: ./wrong, continue-on-error: true }
      - { uses: ./loop, continue-on-error: true }
      - { uses: other/action@v1, continue-on-error: true }
      - { uses: 'docker://alpine', continue-on-error: true }
`),
    {
      files: {
        'wrong/action.yml': 'name: x\ndescription: x\nruns: { using: nothing }\n',
        'loop/action.yml':
          'name: x\ndescription: x\nruns: { using: composite, steps: [{ uses: ./loop }] }\n',
      },
    },
  )
  const messages = annotations.map(({ step, message }) => `${step} ${message}`)
  expect(messages[0]).toContain('2 ./nowhere has no action.yml')
  expect(messages.some((message) => message.startsWith('3 wrong/action.yml:3:'))).toBe(true)
  expect(messages).toContain('4 Actions use each other at most 10 deep')
  expect(messages.some((message) => message.includes('other/action is not there'))).toBe(true)
  expect(messages.some((message) => message.includes('a runner with containers'))).toBe(true)
})

test('a JavaScript action runs with inputs and state, and its end after all steps', async () => {
  const { text, outputs, ends } = await execute(
    job(`
      - { id: use, uses: ./js, with: { 'fetch-depth': '2', 'two words': x } }
      - run: echo between
`),
    {
      files: {
        'js/action.yml':
          "name: x\ndescription: x\ninputs: { fetch-depth: { description: x, default: '1' } }\nruns: { using: node20, main: main.js, post: post.js }\n",
        'js/main.js': `
const fs = require('fs')
console.log('main', process.env['INPUT_FETCH-DEPTH'], process.env.INPUT_TWO_WORDS)
fs.appendFileSync(process.env.GITHUB_OUTPUT, 'made=by node\\n')
fs.appendFileSync(process.env.GITHUB_STATE, 'pid=77\\n')
`,
        'js/post.js': `console.log('post', process.env.STATE_pid, process.env['INPUT_FETCH-DEPTH'])`,
      },
    },
  )
  expect(text).toContain('\nmain 2 x\n')
  expect(text).toMatch(/\nbetween\n(.*\n)*post 77 2/)
  expect(outputs).toEqual({ made: 'by node' })
  expect(ends.at(-1)).toBe('Post ./js: success')
})

const REMOTE = {
  'sub/action.yml':
    'name: x\ndescription: x\ninputs: { who: { default: nobody } }\nruns: { using: node24, main: dist/main.js, post: dist/post.js }\n',
  // Bundles ask where they run, and are modules.
  'sub/dist/main.js': `import { appendFileSync } from 'node:fs'
const isCommon = typeof module === 'object' && module.exports
console.log('main', isCommon, process.env.INPUT_WHO, process.versions.bun !== undefined)
console.log('from', process.env.GITHUB_ACTION_REPOSITORY, process.env.GITHUB_ACTION_REF)
console.log('settings', process.env.FROM_FILE, globalThis.preloaded)
appendFileSync(process.env.GITHUB_OUTPUT, 'made=by the executable\\n')
export {}
`,
  'sub/dist/post.js': `console.log('post', require.main === module)`,
  'sub/package.json': '{}',
}

test('without node an action runs in the executable, without settings of the workspace', async () => {
  const { text, outputs, conclusion } = await execute(
    job(`
      - { id: use, uses: other/action/sub@v1, with: { who: you }, env: { PATH: /nowhere } }
`),
    {
      files: {
        '.env': 'FROM_FILE=read',
        'bunfig.toml': 'preload = ["./preload.js"]',
        'preload.js': 'globalThis.preloaded = true',
      },
      actions: { 'other/action@v1': REMOTE },
      // The runtime reserves more than it uses.
      limits: { memoryBytes: 1024 ** 3 },
    },
  )
  expect(text).toContain('fetched other/action\n')
  expect(text).toContain('\nmain false you true\n')
  expect(text).toContain('\nfrom other/action v1\n')
  expect(text).toContain('\nsettings undefined undefined\n')
  expect(text).toContain('\npost true')
  expect(outputs).toEqual({ made: 'by the executable' })
  expect(conclusion).toBe('success')
})
