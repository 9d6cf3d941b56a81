/** The workflows of the stories, and what a run of each must have left. */

/** Of the job that prints. They come slowly, so that a kill falls between two of them. */
export const LINES = 20
export const ARTIFACT_BYTES = 12_000_000

const PRINT = `i=1; while [ $i -le ${LINES} ]; do echo "line $i"; i=$((i+1)); sleep 0.02; done`

const file = (extra: string, jobs: string): string => `name: CI
on: push
${extra}jobs:
${jobs}`

const FIRST = `  first:
    runs-on: ubuntu-latest
    outputs: { sum: '\${{ steps.make.outputs.sum }}' }
    steps:
      - name: Print
        run: ${PRINT}
      - name: Make
        id: make
        run: |
          head -c ${ARTIFACT_BYTES} /dev/urandom > big
          echo "sum=$(sha256sum big | cut -d' ' -f1)" >> "$GITHUB_OUTPUT"
      - name: Upload
        uses: actions/upload-artifact@v4
        with: { name: big, path: big }
`
const SECOND = `  second:
    needs: first
    runs-on: ubuntu-latest
    steps:
      - uses: actions/download-artifact@v4
        with: { name: big }
      - name: Compare
        run: test "$(sha256sum big | cut -d' ' -f1)" = "\${{ needs.first.outputs.sum }}" && echo same
`
const DEPLOY = `  first:
    runs-on: ubuntu-latest
    environment: production
    steps:
      - name: Print
        run: ${PRINT}
`
/** Ignores what asks it to end, so that a cancel takes its ten seconds. */
const STUBBORN = `  first:
    runs-on: ubuntu-latest
    steps:
      - name: Print
        run: trap '' INT TERM; ${PRINT}; sleep 60
`

export const WORKFLOWS = {
  /** Reads only, so a job that was cut off runs again. */
  repeatable: file('', FIRST + SECOND),
  /** May have written, so a job that was cut off has failed. */
  writing: file('permissions: { contents: write }\n', FIRST + SECOND),
  /** Waits for a person. */
  deploying: file('', DEPLOY),
  /** Is cancelled while it runs. */
  stubborn: file('', STUBBORN),
  /** Its runs wait for each other. */
  grouped: file('concurrency: one\n', FIRST + SECOND),
} as const
export type WorkflowName = keyof typeof WORKFLOWS
