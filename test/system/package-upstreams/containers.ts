/**
 * Images through an upstream, which is a second forge and, where its program is installed, the
 * registry `distribution`: clients pull by the address of a workspace, and again while the peer is
 * away.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  startDockerRegistry,
  startHearth,
  type Registry,
} from '../../../scripts/bench/packages/servers.ts'
import { pushSmallImage } from '../../../scripts/bench/packages/images.ts'
import { Client, type Place } from '../package-clients/client.ts'

export type SetUpstream = (
  place: Place,
  type: string,
  url: string,
  secret?: { readonly username: string; readonly secret: string },
) => Promise<void>

/** The commands of a client that pull an image into a file. */
const CLIENTS: Readonly<Record<string, (image: string, token: string, to: string) => string[]>> = {
  crane: (image, _token, to) => ['crane', 'pull', '--insecure', '--format=oci', image, to],
  skopeo: (image, token, to) => [
    ...['skopeo', 'copy', '-q', '--src-tls-verify=false', '--src-creds', `token:${token}`],
    ...[`docker://${image}`, `oci:${to}:v1`],
  ],
}

async function pullAll(client: Client, round: string): Promise<void> {
  const { url, workspace, token } = client.place
  const host = new URL(url).host
  for (const [name, command] of Object.entries(CLIENTS)) {
    if (Bun.which(name) === null) {
      process.stdout.write(`container: ${name} is left out, it is not installed\n`)
      if (process.env.CI) client.failures++
      continue
    }
    const folder = `${round}-${name}`
    mkdirSync(join(client.place.directory, folder), { recursive: true })
    if (name === 'crane')
      await client.succeeds('crane: login', folder, [
        ...['crane', 'auth', 'login', host, '-u', 'token', '-p', token],
      ])
    const image = `${host}/${workspace}/small:v1`
    await client.succeeds(`${name}: pull, ${round}`, folder, command(image, token, 'out'))
  }
}

async function runPeer(place: Place, peer: Registry, setUpstream: SetUpstream): Promise<number> {
  const client = new Client(`images of ${peer.name}`, place)
  const address = new URL(peer.images)
  // What is above `/v2` is not named; what is below begins the names of the peer.
  const url = `${address.origin}${address.pathname.replace(/^\/v2/, '')}`
  const token = /^Bearer (.+)$/.exec(peer.headers.authorization ?? '')?.[1]
  await pushSmallImage(peer, 'small')
  await setUpstream(
    place,
    'container',
    url,
    token === undefined ? undefined : { username: 'token', secret: token },
  )
  await pullAll(client, `${peer.name} open`)
  await peer.stop()
  await pullAll(client, `${peer.name} closed`)
  return client.failures
}

/** Returns the number of failures. */
export async function pullImages(place: Place, setUpstream: SetUpstream, executable: string) {
  const peers = [
    await startHearth(executable, join(place.directory, 'peer')),
    await startDockerRegistry(join(place.directory, 'distribution')),
  ]
  let failures = 0
  for (const peer of peers)
    if (peer === null) process.stdout.write('container: distribution is left out\n')
    else failures += await runPeer(place, peer, setUpstream)
  return failures
}
