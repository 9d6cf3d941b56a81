/** Jobs that call the results service over HTTP, as stock clients of artifacts and caches do. */
import { afterAll } from 'bun:test'
import { jobServices, type JobToRun } from '#features/workflows/index.ts'
import { startServer } from '#http/server.ts'
import { silentLog } from '#lib/log.ts'
import { makeRunsWorld } from '../../workflows/fixture.ts'

export const SERVICE = '/twirp/github.actions.results.api.v1'

/** One job as its client speaks. */
export class ResultsClient {
  constructor(
    private readonly url: string,
    readonly token: string,
    readonly ids: {
      readonly workflow_run_backend_id: string
      readonly workflow_job_run_backend_id: string
    },
  ) {}

  /** Sends JSON. Answers the status and the body. */
  async call(method: string, body: object, headers: Record<string, string> = {}) {
    const answer = await fetch(`${this.url}${SERVICE}.${method}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.token}`,
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify(body),
    })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }

  artifact(method: string, body: object = {}) {
    return this.call(`ArtifactService/${method}`, { ...this.ids, ...body })
  }

  cache(method: string, body: object) {
    return this.call(`CacheService/${method}`, body)
  }

  /** An address of the forge as this server has it. */
  at(address: unknown): string {
    const { pathname, search } = new URL(String(address))
    return this.url + pathname + search
  }

  put(address: unknown, query: string, body: string | Uint8Array<ArrayBuffer>) {
    return fetch(`${this.at(address)}${query}`, {
      method: 'PUT',
      headers: { 'x-ms-blob-type': 'BlockBlob' },
      body,
    })
  }

  /** Sends a file in blocks, the last one first, then their order. */
  async putBlocks(address: unknown, parts: readonly string[]): Promise<number> {
    const ids = parts.map((_, index) => Buffer.from(`block ${index}`).toString('base64'))
    for (const [index, part] of [...parts.entries()].toReversed()) {
      const id = encodeURIComponent(ids[index] ?? '')
      await this.put(address, `&comp=block&blockid=${id}`, part)
    }
    const list = ids.map((id) => `<Latest>${id}</Latest>`).join('')
    const xml = `<?xml version="1.0" encoding="UTF-8"?><BlockList>${list}</BlockList>`
    return (await this.put(address, '&comp=blocklist', xml)).status
  }

  get(address: unknown, headers: Record<string, string> = {}) {
    return fetch(this.at(address), { headers })
  }

  /** Uploads an artifact whole. Answers the body of the last call. */
  async upload(name: string, text: string) {
    const { body } = await this.artifact('CreateArtifact', { name, version: 7 })
    await this.put(body.signed_upload_url, '', text)
    const end = await this.artifact('FinalizeArtifact', { name, size: String(text.length) })
    return end.body
  }

  async save(key: string, text: string, version = 'v') {
    const { status, body } = await this.cache('CreateCacheEntry', { key, version })
    if (body.ok !== true) return { status, body }
    await this.put(body.signed_upload_url, '', text)
    return this.cache('FinalizeCacheEntryUpload', { key, version, size_bytes: `${text.length}` })
  }

  async restore(key: string, restore_keys: readonly string[] = [], version = 'v') {
    const wanted = { key, restore_keys: [key, ...restore_keys], version }
    const { body } = await this.cache('GetCacheEntryDownloadURL', wanted)
    if (body.ok !== true) return null
    const answer = await this.get(body.signed_download_url)
    return `${String(body.matched_key)}: ${await answer.text()}`
  }
}

export async function makeResultsWorld() {
  const made = await makeRunsWorld()
  const { hearth } = made
  const server = startServer({ host: '127.0.0.1', port: 0, log: silentLog, graceMs: 2000 })
  server.open(hearth)
  afterAll(() => server.stop())
  const clientOf = (job: JobToRun): ResultsClient =>
    new ResultsClient(server.url, jobServices(hearth, job)?.token ?? '', {
      workflow_run_backend_id: job.run.id,
      workflow_job_run_backend_id: job.id,
    })
  return {
    ...made,
    url: server.url,
    clientOf,
    /** Pushes to a branch and takes the job of its run. */
    async begin(branch = 'main') {
      await made.push({ '.hearth/workflows/test.yml': FILE, [`${branch}.txt`]: branch }, { branch })
      const job = await made.take()
      if (!job) throw new Error('there is no job')
      return { job, client: clientOf(job) }
    },
  }
}

const FILE = `name: Test
on: push
jobs:
  build:
    runs-on: ubuntu-latest
    steps: [{ run: make }]
`
