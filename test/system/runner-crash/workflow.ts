/** The workflow that a runner runs: a job that prints, makes an output and an artifact, and one after it. */
export const LINES = 30
export const ARTIFACT = 'some bytes of an artifact\n'

/** Uploads as the stock client does, with its five attempts. */
const ACTION = `import { createHash } from 'node:crypto'
const { ACTIONS_RUNTIME_TOKEN: token, ACTIONS_RESULTS_URL: base } = process.env
const claims = JSON.parse(Buffer.from(token.split('.')[1], 'base64url'))
const [, run, job] = claims.scp.split(' ').find((s) => s.startsWith('Actions.Results:')).split(':')
const bytes = Buffer.from(${JSON.stringify(ARTIFACT)})
async function attempt(what, send) {
  for (let n = 1; ; n++) {
    try {
      const answer = await send()
      if (answer.ok) return answer
      const text = await answer.text()
      if (answer.status < 500) throw Object.assign(new Error(what + ' ' + answer.status + ' ' + text), { isFinal: true })
      throw new Error(what + ' ' + answer.status)
    } catch (error) {
      if (n >= 6 || error.isFinal) throw error
      await new Promise((resolve) => setTimeout(resolve, 500 * n))
    }
  }
}
const call = async (method, body) => {
  const answer = await attempt(method, () =>
    fetch(new URL('/twirp/github.actions.results.api.v1.ArtifactService/' + method, base), {
      method: 'POST',
      headers: { authorization: 'Bearer ' + token, 'content-type': 'application/json' },
      body: JSON.stringify({ workflow_run_backend_id: run, workflow_job_run_backend_id: job, name: 'one', ...body }),
    }))
  return answer.json()
}
const { signed_upload_url } = await call('CreateArtifact', { version: 4 })
await attempt('PUT', () => fetch(signed_upload_url, { method: 'PUT', body: bytes, headers: { 'x-ms-blob-type': 'BlockBlob' } }))
await call('FinalizeArtifact', { size: String(bytes.length), hash: 'sha256:' + createHash('sha256').update(bytes).digest('hex') })
console.log('uploaded')
`

const WORKFLOW = `name: CI
on: push
jobs:
  first:
    runs-on: far
    outputs: { sum: '\${{ steps.make.outputs.sum }}' }
    steps:
      - name: Fetch
        run: |
          git init -q . 2>/dev/null
          for n in 1 2 3 4 5 6 7 8 9 10; do
            git -c http.extraHeader="Authorization: Basic $(printf 'x:%s' "\${{ github.token }}" | base64 -w0)" fetch -q --depth 1 "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY.git" "$GITHUB_SHA" && break
            sleep 1
          done
          git checkout -qf FETCH_HEAD
      - name: Print
        run: i=1; while [ $i -le ${LINES} ]; do echo "line $i"; i=$((i+1)); sleep 0.1; done
      - name: Make
        id: make
        run: echo "sum=42" >>"$GITHUB_OUTPUT"
      - { name: Upload, uses: ./up }
  second:
    needs: first
    runs-on: far
    steps:
      - { name: Compare, run: 'test "\${{ needs.first.outputs.sum }}" = 42 && echo same' }
`

export const FILES: Readonly<Record<string, string>> = {
  '.hearth/workflows/ci.yml': WORKFLOW,
  'up/action.yml': 'name: up\ndescription: Uploads\nruns: { using: node20, main: run.mjs }\n',
  'up/run.mjs': ACTION,
}
