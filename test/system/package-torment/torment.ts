/** A forge that is tormented, and what is checked of it. */
import { OWNER, type ForgeProcess } from '../../../scripts/support/forge.ts'
import type { Upload } from './uploads.ts'

const { workspace } = OWNER

export class Torment {
  token = ''
  failures = 0
  constructor(public forge: ForgeProcess) {}

  ask(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${this.token}`, ...init.headers }
    return fetch(this.forge.url + path, { ...init, headers })
  }

  send({ method, path, content_type, body }: Upload): Promise<Response> {
    const headers = { 'content-type': content_type }
    return this.ask(path, { method, body: new Uint8Array(body), headers })
  }

  async listed(): Promise<string[]> {
    const response = await this.ask(
      `/api/v1/workspaces/${workspace}/packages?state=all&per_page=100`,
    )
    const packages = (await response.json()) as { package_type: string; name: string }[]
    return packages.map(({ package_type, name }) => `${package_type} ${name}`)
  }

  check(what: string, isRight: boolean, said: unknown = ''): void {
    if (!isRight) this.failures++
    process.stdout.write(
      `${isRight ? 'ok  ' : 'FAIL'} ${what}${isRight ? '' : `: ${String(said)}`}\n`,
    )
  }
}
