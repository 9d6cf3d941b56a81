/** Text of others that tries to become commands, variables, masks or lines of the log. */
import { expect, test } from 'bun:test'
import { makeExecutions } from './executions.ts'

const TEXTS = [
  '$(touch pwned)',
  '`touch pwned`',
  '"; touch pwned; "',
  "'; touch pwned; '",
  '\n::set-env name=PATH::/pwned\n',
  '\n::add-mask::pwned-no\n::stop-commands::pwned',
  '\n##[error]pwned\n',
  '%0A::error::pwned',
  'a<<EOF\nPATH=/pwned\nEOF',
  '${{ secrets.KEY }}',
  '-rf --upload-pack=touch pwned',
  '\u001b]0;pwned\u0007\u001b[2J',
  '\u202e\u0000pwned'.replace('\u0000', ''),
]

test('thirteen texts of others in env, inputs and outputs stay text', async () => {
  expect(TEXTS).toHaveLength(13)
  const { execute } = await makeExecutions()
  const jobs = `jobs:
  a:
    runs-on: ubuntu-latest
    steps:
${TEXTS.map(
  (_, index) => `      - id: s${index}
        env: { TEXT: "\${{ github.event.texts[${index}] }}" }
        run: |
          printf 'length %s\\n' "\${#TEXT}"
          { echo 'value<<END_7f3a'; printf '%s\\n' "$TEXT"; echo END_7f3a; } >>"$GITHUB_OUTPUT"
`,
).join('')}      - run: |
          ls
          echo "path $PATH"
          test ! -e pwned
          test "$COUNT" = ${TEXTS.length}
        env:
          COUNT: ${TEXTS.length}
          SAID: "\${{ toJSON(steps) }}"
`
  const { conclusion, text, annotations } = await execute(jobs, {
    github: { event: { texts: TEXTS } },
    secrets: { KEY: 'the-secret-value' },
  })
  expect(annotations).toEqual([])
  expect(conclusion).toBe('success')
  expect(text).not.toContain('path /pwned')
  expect(text).not.toContain('the-secret-value')
  expect(text.match(/length \d+/g)).toHaveLength(TEXTS.length)
})

test('text that a script prints is obeyed only as far as any output is', async () => {
  const { execute } = await makeExecutions()
  const { conclusion, text, annotations } = await execute(
    `jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - env: { TEXT: "\${{ github.event.title }}" }
        run: printf '%s\\n' "$TEXT"
      - run: echo "path $PATH"; echo "next $EVIL"
`,
    {
      github: {
        event: { title: '::set-env name=EVIL::pwned\n::add-path::/pwned\n::set-output name=x::y' },
      },
    },
  )
  expect(conclusion).toBe('success')
  expect(text).not.toContain('next pwned')
  expect(text).not.toMatch(/path .*\/pwned/)
  expect(annotations.map(({ level }) => level)).toContain('failure')
})
