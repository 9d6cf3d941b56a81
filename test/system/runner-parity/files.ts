/** The workflow that runs in both places, and its action. */
export const ONE_SECRET = 'correct-horse-battery'

/** A JavaScript action that calls a stock client as a step would. */
const action = (packages: string): string => `import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
const what = process.env.INPUT_CALL.split(' ').filter((word) => word !== '')
const env = {
  ...process.env,
  RESULT: process.env.RUNNER_TEMP + '/result.json',
  // The packages refuse servers that they do not know, unless the name ends so.
  GITHUB_SERVER_URL: 'http://forge.localhost',
}
const { status, stderr } = spawnSync('node', ['${packages}/act.mjs', ...what], { env })
if (status !== 0) {
  console.log(String(stderr).slice(-2000))
  process.exit(1)
}
const result = JSON.parse(readFileSync(env.RESULT, 'utf8'))
if (what[0] === 'identity')
  console.log('RESULT subject ' + JSON.parse(Buffer.from(result.split('.')[1], 'base64url')).sub.split(':ref:')[0].replace(/(far|near)$/, ''))
else console.log('RESULT ' + what[0] + ' ' + (typeof result === 'string' ? result : 'done'))
`

const ACTION = `name: act
description: Calls a client
inputs: { call: { required: true, description: what } }
runs: { using: node20, main: run.mjs }
`

const workflow = (label: string): string => `name: CI
on: push
permissions: { id-token: write, contents: read }
env: { LEVEL: workflow }
jobs:
  make:
    runs-on: ${label}
    strategy: { matrix: { os: [north, south] } }
    outputs: { made: '\${{ steps.make.outputs.made }}' }
    steps:
      - name: Fetch
        run: |
          git init -q . 2>/dev/null
          git fetch -q --depth 1 "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY.git" "$GITHUB_SHA"
          git checkout -qf FETCH_HEAD
          mkdir -p out deps; echo "of \${{ matrix.os }}" >out/a.txt; echo kept >deps/b.txt
      - id: make
        name: Make \${{ matrix.os }}
        env: { KEY: '\${{ secrets.KEY }}' }
        run: |
          echo "RESULT key $KEY \${{ strategy.job-total }} $LEVEL"
          echo "::warning file=a.js,line=2::careful"
          echo "made=7" >>"$GITHUB_OUTPUT"
      - { name: Upload, uses: ./act, with: { call: 'upload made-\${{ matrix.os }} out out/a.txt' } }
      - { name: Save, uses: ./act, with: { call: 'save deps-\${{ matrix.os }} deps' } }
      - { name: Prove, uses: ./act, with: { call: identity vault } }
      - { name: May fail, run: exit 3, continue-on-error: true }
  after:
    needs: make
    runs-on: ${label}
    steps:
      - name: Fetch
        run: |
          git init -q . 2>/dev/null
          git fetch -q --depth 1 "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY.git" "$GITHUB_SHA"
          git checkout -qf FETCH_HEAD
      - { name: Download, uses: ./act, with: { call: download made-north got } }
      - { name: Restore, uses: ./act, with: { call: restore deps-none deps-n deps } }
      - { name: Read, run: 'echo "RESULT read $(cat got/a.txt) $(cat deps/b.txt) \${{ needs.make.outputs.made }}"' }
      - { name: Fail, run: exit 2 }
      - { name: Never, run: echo no }
      - { name: Always, if: always(), run: 'echo "RESULT always \${{ job.status }}"' }
`

export const FILES = (label: string, packages: string): Record<string, string> => ({
  '.github/workflows/ci.yml': workflow(label),
  'act/action.yml': ACTION,
  'act/run.mjs': action(packages),
})

export const SLOW = (label: string): Record<string, string> => ({
  '.github/workflows/ci.yml': `on: push
jobs:
  slow:
    runs-on: ${label}
    steps: [{ run: 'echo begun; sleep 120' }]
`,
})
