/**
 * Drafts a release of the tag of a job with all files of a folder: `node draft.mjs FOLDER`. It takes the
 * forge, the repository, the tag and the token from the environment of the job.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const { GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_REF_NAME, GITHUB_TOKEN } = process.env
const [folder = 'dist/release'] = process.argv.slice(2)

async function post(path, body, type) {
  const response = await fetch(`${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${GITHUB_TOKEN}`, 'content-type': type },
    body,
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return response.json()
}

const release = await post(
  '/releases',
  JSON.stringify({ tag_name: GITHUB_REF_NAME, name: GITHUB_REF_NAME, draft: true }),
  'application/json',
)
for (const entry of readdirSync(folder, { withFileTypes: true })) {
  if (!entry.isFile()) continue
  const path = `/releases/${release.id}/assets?name=${encodeURIComponent(entry.name)}`
  await post(path, readFileSync(join(folder, entry.name)), 'application/octet-stream')
  process.stdout.write(`${entry.name}\n`)
}
