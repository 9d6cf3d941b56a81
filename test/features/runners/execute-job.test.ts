import { expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { hasEnded } from '../../runner/runners.ts'
import { makeExecutions } from './executions.ts'

const forge = await makeExecutions()
const { execute } = forge

test('steps run with the files of the repository, their variables and contexts', async () => {
  const { conclusion, text, ends, outputs } = await execute(
    `
env: { LEVEL: workflow, WORKFLOW: w }
jobs:
  build:
    runs-on: ubuntu-latest
    env: { LEVEL: job, REGION: '\${{ vars.REGION }}', OF_NEED: '\${{ needs.before.result }}!' }
    outputs: { version: '\${{ steps.make.outputs.version }}-\${{ needs.before.outputs.version }}' }
    steps:
      - uses: actions/checkout@v4
      - run: |
          cat README.md
          echo "$LEVEL $REGION $OF_NEED $WORKFLOW $GITHUB_REPOSITORY $HEARTH_REPOSITORY $CI $RUNNER_OS"
          cat "$GITHUB_EVENT_PATH"; echo; pwd
        env: { LEVEL: 'step \${{ matrix.os }}' }
      - id: make
        name: Make \${{ github.repository }}
        run: |
          echo "version=1.\${{ needs.before.outputs.version }}" >> "$GITHUB_OUTPUT"
          echo "FROM_FILE<<END
          two
          lines
          END" >> "$GITHUB_ENV"
          mkdir -p "$HOME/bin"; printf '#!/bin/sh\\necho tool\\n' >"$HOME/bin/tool"; chmod +x "$HOME/bin/tool"
          echo "$HOME/bin" >> "$GITHUB_PATH"
          echo "# Made" >> "$GITHUB_STEP_SUMMARY"
      - run: tool; echo "$FROM_FILE \${{ env.FROM_FILE == 'x' }}"
        working-directory: docs
`,
    { files: { 'README.md': 'hello\n', 'docs/a.md': 'a' } },
  )
  expect(ends).toEqual([
    'Run actions/checkout@v4: success',
    'Run cat README.md: success',
    'Make acme/site: success',
    'Run tool; echo "$FROM_FILE false": success'.replace('false', "${{ env.FROM_FILE == 'x' }}"),
  ])
  expect(conclusion).toBe('success')
  expect(text).toContain(
    '\nhello\nstep linux north success! w acme/site acme/site true Linux\n{"x":1}\n/work/site/site\n',
  )
  expect(text).toContain('\ntool\ntwo\nlines false')
  expect(outputs).toEqual({ version: '1.7-7' })
})

test('a failed step skips those behind it, but not what asks for it', async () => {
  const { conclusion, ends, text, annotations } = await execute(`
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - { id: soft, run: exit 3, continue-on-error: true }
      - run: echo "\${{ steps.soft.outcome }} \${{ steps.soft.conclusion }}"
      - run: echo before; exit 4
      - run: echo never
      - { name: on failure, if: failure(), run: 'echo "status \${{ job.status }}"' }
      - { name: not, if: "\${{ !cancelled() && false }}", run: echo no }
      - { name: tidy, if: always(), run: echo tidied }
`)
  expect(conclusion).toBe('failure')
  expect(ends.map((end) => end.split(': ').at(-1))).toEqual([
    'success',
    'success',
    'failure',
    'skipped',
    'success',
    'skipped',
    'success',
  ])
  expect(text).toContain('\nfailure success\n')
  expect(text).toContain('\nstatus failure\n')
  expect(text).toContain('##[error]Process completed with exit code 4.')
  expect(text).not.toContain('\nnever')
  expect(annotations.map(({ step, message }) => `${step} ${message}`)).toEqual([
    '1 Process completed with exit code 3.',
    '3 Process completed with exit code 4.',
  ])
})

test('lines of the log belong to their steps', async () => {
  const { steps, text } = await execute(`
jobs:
  build:
    runs-on: ubuntu-latest
    steps: [{ run: 'printf one' }, { run: echo two, if: false }, { run: echo three }]
`)
  const lines = text.split('\n')
  const of = (n: number) => lines.slice((steps[n]?.log_from ?? 1) - 1, steps[n]?.log_to ?? 0)
  expect(of(0).at(-1)).toBe('one')
  expect(steps[1]).toMatchObject({ log_from: null, log_to: null, conclusion: 'skipped' })
  expect(of(2).at(-1)).toBe('three')
  expect(of(2).at(0)).toStartWith('##[group]')
})

test('problem matchers find what later lines and steps print, until they are removed', async () => {
  const matcher = JSON.stringify({
    problemMatcher: [
      {
        owner: 'cc',
        pattern: [
          {
            regexp: '^(.+):(\\d+):(\\d+): (error|warning): (.+)$',
            file: 1,
            line: 2,
            column: 3,
            severity: 4,
            message: 5,
          },
        ],
      },
    ],
  })
  const { annotations, text, ends } = await execute(`
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - run: |
          mkdir m && printf '%s' '${matcher.replaceAll('\\', '\\')}' > m/cc.json
          echo "a.c:1:1: error: nobody looks yet"
          echo "::add-matcher::m/cc.json"
          echo "a.c:3:7: error: it is broken"
          echo "::add-mask::hush-hush"
          ln -s /etc/passwd m/link.json && echo "::add-matcher::m/link.json"
          ln -s /etc n && echo "::add-matcher::n/passwd"
          echo "::add-matcher::../../../etc/passwd"
      - run: |
          printf '\\033[31mb.c:4:2: warning: of hush-hush\\033[0m\\n'
          echo "::remove-matcher owner=cc::"
          echo "b.c:9:9: error: nobody looks any more"
`)
  expect(ends).toEqual([expect.stringContaining('success'), expect.stringContaining('success')])
  const found = annotations.filter(({ file }) => file !== null)
  expect(found).toEqual([
    {
      step: 1,
      level: 'failure',
      file: 'a.c',
      line: 3,
      end_line: null,
      column: 7,
      title: null,
      message: 'it is broken',
    },
    {
      step: 2,
      level: 'warning',
      file: 'b.c',
      line: 4,
      end_line: null,
      column: 2,
      title: null,
      message: 'of ***',
    },
  ])
  const refused = annotations.flatMap(
    ({ message }) => /matchers of (\S+) are not/.exec(message)?.[1] ?? [],
  )
  expect(refused).toEqual(['m/link.json', 'n/passwd', '../../../etc/passwd'])
  expect(text).toContain('a.c:3:7: error: it is broken')
})

test('commands make annotations and groups; old ones that any output could use are refused', async () => {
  const { annotations, text, outputs } = await execute(`
jobs:
  build:
    runs-on: ubuntu-latest
    outputs: { old: '\${{ steps.old.outputs.a }}' }
    steps:
      - id: old
        run: |
          echo "::error file=src/a.ts,line=3,title=Bad::It is broken"
          echo "::group::Install"
          echo "::set-output name=a::1"
          echo "::set-env name=PATH::/evil"
          echo "::debug::hidden"
          echo "::stop-commands::a-token-of-mine"
          echo "::error::only text"
          echo "::a-token-of-mine::"
          for i in $(seq 30); do echo "::notice::n$i"; done
      - run: echo "$PATH"
`)
  expect(annotations[0]).toMatchObject({
    level: 'failure',
    file: 'src/a.ts',
    line: 3,
    title: 'Bad',
    message: 'It is broken',
  })
  expect(annotations.filter(({ level }) => level === 'notice')).toHaveLength(10)
  expect(annotations.some(({ message }) => message === 'only text')).toBe(false)
  expect(text).toContain('##[error]It is broken')
  expect(text).toContain('##[group]Install')
  expect(text).not.toContain('\nhidden')
  expect(text).not.toContain('##[debug]hidden')
  expect(text).not.toContain('\n/evil')
  expect(outputs).toEqual({ old: '1' })
})

test('a variable lets the log show what steps print for debugging', async () => {
  const file = `
jobs:
  build:
    runs-on: ubuntu-latest
    steps: [{ run: 'echo "::debug::shown to $RUNNER_DEBUG"' }]
`
  const { text } = await execute(file, { vars: { ACTIONS_STEP_DEBUG: 'true' } })
  expect(text).toContain('##[debug]shown to 1')
})

test('secrets are hidden wherever they come out', async () => {
  const secret = 'correct-horse-battery'
  const result = await execute(
    `
jobs:
  build:
    runs-on: ubuntu-latest
    outputs: { held: '\${{ steps.all.outputs.held }}', free: '\${{ steps.all.outputs.free }}' }
    steps:
      - name: with \${{ secrets.TOKEN }}
        id: all
        run: |
          echo "held=is $TOKEN" >> "$GITHUB_OUTPUT"; echo free=yes >> "$GITHUB_OUTPUT"
          echo "plain $TOKEN"
          printf '%s' "$TOKEN" | base64
          printf 'correct-horse'; sleep 0.3; echo '-battery in two pieces'
          head -c 200000 /dev/zero | tr '\\0' x; printf '%s' "$TOKEN"; head -c 200000 /dev/zero | tr '\\0' y
          echo "::error::$TOKEN"
          echo "$TOKEN" >> $GITHUB_STEP_SUMMARY
          V=dynamic; echo "::add-mask::$V-value"; echo "a $V-value b"
        env: { TOKEN: '\${{ secrets.TOKEN }}' }
`,
    { secrets: { TOKEN: secret } },
  )
  const all = JSON.stringify(result)
  expect(all).not.toContain(secret)
  expect(all).not.toContain(Buffer.from(secret).toString('base64').slice(0, 20))
  expect(all).not.toContain('dynamic-value')
  expect(result.text).toContain('plain ***\n')
  expect(result.text).toContain('a *** b')
  expect(result.summary).toBe('***\n\n')
  expect(result.outputs).toEqual({ free: 'yes' })
  expect(result.text).toContain('The output held is left out')
  expect(result.text).toMatch(/x\*\*\*y/)
})

test('a line without end is cut, and the log is bounded', async () => {
  const { text, conclusion } = await execute(`
jobs:
  build:
    runs-on: ubuntu-latest
    steps: [{ run: "head -c 50000000 /dev/zero | tr '\\\\0' a; echo; echo end" }]
`)
  expect(conclusion).toBe('success')
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(16_384)
})

test('a cancelled job ends its step and still runs what always runs', async () => {
  const controller = new AbortController()
  const started = Date.now()
  const { conclusion, ends, text } = await execute(
    `
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - { name: long, run: 'echo begun; sleep 4831' }
      - { name: next, run: echo never }
      - { name: tidy, if: always(), run: 'echo tidied' }
      - { name: stuck, if: cancelled(), run: 'sleep 4832' }
      - { name: after, if: always(), run: 'echo too late' }
`,
    { stop: controller.signal, onLine: (line) => line.startsWith('begun') && controller.abort() },
  )
  expect(conclusion).toBe('cancelled')
  expect(ends).toEqual([
    'long: cancelled',
    'next: skipped',
    'tidy: success',
    'stuck: cancelled',
    'after: cancelled',
  ])
  expect(text).toContain('\ntidied')
  expect(text).not.toContain('\ntoo late')
  expect(Date.now() - started).toBeLessThan(20_000)
  for (const word of ['sleep 4831', 'sleep 4832']) expect(await hasEnded(word)).toBe(true)
})

test('a job that takes too long is stopped', async () => {
  const { conclusion, reason } = await execute(`
jobs:
  build:
    runs-on: ubuntu-latest
    timeout-minutes: 0.01
    steps: [{ run: sleep 4833 }]
`)
  expect({ conclusion, reason }).toEqual({
    conclusion: 'timed_out',
    reason: 'The job took longer than 0.01 minutes',
  })
})

test('files of a step that are links, too large or wrong do no harm', async () => {
  const { ends, annotations, text } = await execute(`
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - { name: link, run: 'rm "$GITHUB_STEP_SUMMARY"; ln -s /etc/hostname "$GITHUB_STEP_SUMMARY"' }
      - { name: pipe, run: 'rm "$GITHUB_OUTPUT"; mkfifo "$GITHUB_OUTPUT"' }
      - { name: large, run: 'head -c 2000000 /dev/zero >"$GITHUB_ENV"', continue-on-error: true }
      - { name: wrong, run: 'echo nothing >"$GITHUB_OUTPUT"', continue-on-error: true }
      - { name: reserved, run: 'echo GITHUB_SHA=x >"$GITHUB_ENV"', continue-on-error: true }
      - { name: last, run: 'echo "sha $GITHUB_SHA"' }
`)
  expect(ends.map((end) => end.split(': ').at(-1))).toEqual(Array(6).fill('success'))
  expect(annotations.map(({ message }) => message)).toEqual([
    expect.stringContaining('$GITHUB_ENV is wrong: it has 2000000 bytes'),
    expect.stringContaining('$GITHUB_OUTPUT is wrong: line 1'),
    expect.stringContaining('GITHUB_SHA cannot be set'),
  ])
  expect(text).toContain(`sha ${'a'.repeat(40)}`)
})

test('a step knows its own variables in its condition, its script and its inputs', async () => {
  const { conclusion, text, ends } = await execute(
    `
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - if: env.KEY != ''
        name: With \${{ env.NAME }}
        env: { KEY: '\${{ secrets.KEY }}', NAME: a key }
        run: echo "it is \${{ env.NAME }}"
      - if: env.KEY != ''
        env: { KEY: '\${{ secrets.NONE }}' }
        run: exit 1
      - uses: ./act
        env: { GIVEN: from the step }
        with: { text: '\${{ env.GIVEN }}' }
      - run: test -z "\${{ env.GIVEN }}\${{ env.NAME }}"
`,
    {
      files: {
        'act/action.yml': `
inputs: { text: { default: '' } }
runs:
  using: composite
  steps:
    - { shell: bash, run: 'echo "given \${{ inputs.text }}, \${{ env.GIVEN }}, \${{ env.OWN }}"', env: { OWN: own } }
`,
      },
      secrets: { KEY: 'the-secret-value' },
    },
  )
  expect(text).toContain('it is a key')
  expect(text).toContain('given from the step, from the step, own')
  expect(ends).toContain('With a key: success')
  expect(conclusion).toBe('success')
})

test('an expression that cannot be evaluated fails its step', async () => {
  const { ends, conclusion } = await execute(`
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - { name: bad, run: "echo \${{ fromJSON('{') }}" }
      - { name: next, run: echo never }
`)
  expect(ends).toEqual(['bad: failure', 'next: skipped'])
  expect(conclusion).toBe('failure')
})

test('hashFiles reads what matches, and follows no link', async () => {
  const files = { 'package-lock.json': 'one', 'sub/package-lock.json': 'two', 'other.txt': 'x' }
  const { text } = await execute(
    `
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: ln -s /etc/passwd linked-lock.json
      - run: |
          echo "all \${{ hashFiles('**/package-lock.json') }}"
          echo "one \${{ hashFiles('package-lock.json', '!sub/**') }}"
          echo "link [\${{ hashFiles('linked-lock.json') }}]"
`,
    { files },
  )
  const sha = (text: string | Buffer) => new Bun.CryptoHasher('sha256').update(text).digest()
  const both = sha(Buffer.concat([sha('one'), sha('two')])).toString('hex')
  expect(text).toContain(`\nall ${both}\n`)
  expect(text).toContain(`\none ${sha(sha('one')).toString('hex')}\n`)
  expect(text).toContain('\nlink []')
})

test('a second checkout replaces a folder, and no link of the job leads it elsewhere', async () => {
  const { ends, text } = await execute(
    `
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: 'rm -rf * && ln -s ${forge.data} docs && ln -s ${forge.data} sub'
      - { uses: actions/checkout@v4, with: { path: sub/x }, continue-on-error: true }
      - uses: actions/checkout@v4
      - run: ls -la docs
      - { uses: actions/checkout@v4, with: { path: ../out }, continue-on-error: true }
      - { uses: actions/checkout@v4, with: { repository: other/repo } }
`,
    { files: { 'docs/a.md': 'a' } },
  )
  expect(existsSync(join(forge.data, 'x'))).toBe(false)
  expect(readdirSync(forge.data)).not.toContain('a.md')
  expect(text).toContain('a.md')
  expect(text).toContain('##[error]The path ../out is not below the workspace')
  expect(text).toContain('##[error]other/repo is not there')
  expect(ends.at(-1)).toEndWith('failure')
})

test('shells: bash by default, sh, python, templates, and what is missing is named', async () => {
  const { text, ends } = await execute(`
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - run: echo "\${BASH_VERSION:+bash}"
      - { shell: sh, run: 'echo "[$BASH_VERSION]"' }
      - { shell: bash, run: 'false | true; echo reached', continue-on-error: true }
      - { shell: 'perl -w {0}', run: 'print "from perl\\n"' }
      - { shell: nosuchshell, run: x }
`)
  expect(text).toContain('\nbash\n')
  expect(text).toContain('\n[]\n')
  expect(text).not.toContain('\nreached')
  expect(text).toContain('\nfrom perl')
  expect(text).toContain('##[error]nosuchshell is not installed on this machine')
  expect(ends.at(-1)).toEndWith('failure')
})
