/** Images of this machine's busybox, and a registry of one of them. */
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

export const IMAGE = 'localhost/hearth-test:1'
const APPLETS =
  'sh ls cat echo id sleep env mkdir mknod mount chmod cp rm find wget httpd ip tr cut date grep dd tail wc unshare true nc'

export function run(...command: readonly string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command])
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${stderr.toString()}`)
  return stdout.toString().trim()
}

/** An image of busybox, which serves the folder /www at port 80. */
export async function makeImage(engine: string, directory: string): Promise<void> {
  const root = join(directory, 'image')
  for (const folder of ['bin', 'www', 'tmp', 'etc', 'proc', 'dev', 'sys'])
    mkdirSync(join(root, folder), { recursive: true })
  cpSync(Bun.which('busybox') ?? '/bin/busybox', join(root, 'bin/busybox'))
  for (const name of APPLETS.split(' ')) symlinkSync('busybox', join(root, 'bin', name))
  await Bun.write(join(root, 'www/index.html'), 'served')
  const archive = join(directory, 'image.tar')
  run('tar', '-C', root, '-cf', archive, '.')
  const serve = 'CMD ["/bin/sh", "-c", "echo word=$WORD >/www/word; exec httpd -f -p 80 -h /www"]'
  const quietly = engine === 'podman' ? ['-q'] : []
  run(engine, 'import', ...quietly, '--change', 'EXPOSE 80/tcp', '--change', serve, archive, IMAGE)
}

const digestOf = (bytes: Uint8Array): string =>
  new Bun.CryptoHasher('sha256').update(bytes).digest('hex')

/** Writes what a registry has of the image into a folder, as podman would push it. */
async function pushFromDocker(folder: string): Promise<void> {
  const saved = join(folder, 'saved')
  mkdirSync(saved, { recursive: true })
  run('docker', 'save', '-o', join(folder, 'saved.tar'), IMAGE)
  run('tar', '-C', saved, '-xf', join(folder, 'saved.tar'))
  const read = (path: string): Uint8Array => readFileSync(join(saved, path))
  const [entry] = JSON.parse(Buffer.from(read('manifest.json')).toString()) as [
    { Config: string; Layers: string[] },
  ]
  const put = async (bytes: Uint8Array<ArrayBuffer>, mediaType: string) => {
    await Bun.write(join(folder, digestOf(bytes)), bytes)
    return { mediaType, size: bytes.length, digest: `sha256:${digestOf(bytes)}` }
  }
  const type = 'application/vnd.docker'
  const layers = entry.Layers.map((path) => Bun.gzipSync(new Uint8Array(read(path))))
  const manifest = {
    schemaVersion: 2,
    mediaType: `${type}.distribution.manifest.v2+json`,
    config: await put(new Uint8Array(read(entry.Config)), `${type}.container.image.v1+json`),
    layers: await Promise.all(
      layers.map((layer) => put(layer, `${type}.image.rootfs.diff.tar.gzip`)),
    ),
  }
  await Bun.write(join(folder, 'manifest.json'), JSON.stringify(manifest))
}

/** A registry over TLS that gives the image `acme/tool:1` to those with the password. */
export async function openRegistry(
  engine: string,
  directory: string,
  address: string,
  password: string,
): Promise<{ host: string; certificate: string; stop(): Promise<void> }> {
  const folder = join(directory, 'registry')
  if (engine === 'podman') run('podman', 'push', '-q', IMAGE, `dir:${folder}`)
  else await pushFromDocker(folder)
  const [key, certificate] = [join(directory, 'key.pem'), join(directory, 'cert.pem')]
  run(
    ...['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2'],
    ...['-subj', '/CN=registry', '-addext', `subjectAltName=IP:${address}`],
    ...['-keyout', key, '-out', certificate],
  )
  const expected = `Basic ${btoa(`robot:${password}`)}`
  const manifest = readFileSync(join(folder, 'manifest.json'), 'utf8')
  const { mediaType = 'application/vnd.oci.image.manifest.v1+json' } = JSON.parse(manifest) as {
    mediaType?: string
  }
  const server = Bun.serve({
    hostname: '0.0.0.0',
    port: 0,
    tls: { key: readFileSync(key, 'utf8'), cert: readFileSync(certificate, 'utf8') },
    fetch(request) {
      const { pathname } = new URL(request.url)
      if (request.headers.get('authorization') !== expected)
        return new Response('', { status: 401, headers: { 'www-authenticate': 'Basic realm="x"' } })
      if (pathname === '/v2/') return new Response('{}')
      if (pathname.startsWith('/v2/acme/tool/manifests/'))
        return new Response(manifest, { headers: { 'content-type': mediaType } })
      const digest = /^\/v2\/acme\/tool\/blobs\/sha256:([0-9a-f]{64})$/.exec(pathname)?.[1]
      return digest === undefined
        ? new Response('', { status: 404 })
        : new Response(Bun.file(join(folder, digest)))
    },
  })
  return {
    host: `${address}:${server.port}`,
    certificate,
    stop: () => server.stop(true),
  }
}
