/** Jobs reach their own forge through their door, and nothing else by it. */
import { expect, test } from 'bun:test'
import { createSettingsToken } from '#features/accounts/index.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { getIssue } from '#features/issues/get-issue.ts'
import { makeDoorWorld, REPO, SITE } from './door-fixture.ts'

/** A request as any program makes it. `$1` is the method, `$2` the path; headers follow. */
const REQUEST = `use IO::Socket::INET; use strict;
my ($method, $path, @rest) = @ARGV; my $body = "";
$body = substr(pop @rest, 5) if @rest && $rest[-1] =~ /^body=/;
my $s = IO::Socket::INET->new("hearth.localhost:47100") or die "no door: $!";
print $s join("\\r\\n", "$method $path HTTP/1.1", "Host: hearth.localhost:47100",
  "Connection: close", "Content-Length: ".length($body), @rest, "", $body);
local $/; my $answer = <$s>; $answer =~ s/^HTTP\\S+ (\\d+).*?\\r\\n\\r\\n/$1 /s; print "$answer\\n";`

const script = (lines: string): string =>
  `      - env: { TOKEN: '\${{ github.token }}' }
        run: |
          cat >"$RUNNER_TEMP/request.pl" <<'END'
${REQUEST.replaceAll(/^/gm, '          ')}
          END
          request() { perl "$RUNNER_TEMP/request.pl" "$@"; }
${lines.trim().replaceAll(/^ */gm, '          ')}
`

const forge = await makeDoorWorld('none')

test('the variables of a job lead to the door, and what people read has the public address', async () => {
  const { conclusion, output } = await forge.run(
    script(`
      echo "$GITHUB_SERVER_URL/x $GITHUB_API_URL $HEARTH_SERVER_URL" | tee -a "$GITHUB_STEP_SUMMARY" | tr h H
      echo "::notice::see $GITHUB_SERVER_URL/acme"
      echo "open $GITHUB_SERVER_URL/acme/site or \${{ github.server_url }}"
    `),
  )
  expect(conclusion).toBe('success')
  expect(
    output,
  ).toBe(`Http://HeartH.localHost:47100/x Http://HeartH.localHost:47100/api/v1 Https://forge.example.test
##[notice]see ${SITE}/acme
open ${SITE}/acme/site or ${SITE}`)
})

test('git clones, fetches and pushes with the token of the job, by the public address too', async () => {
  const { conclusion, output } = await forge.run(`      - uses: actions/checkout@v4
        with: { fetch-depth: 0 }
      - env: { TOKEN: '\${{ github.token }}' }
        run: |
          git config --global user.email x@x && git config --global user.name x
          basic=$(printf "x:$TOKEN" | base64 -w0)
          git -c "http.extraHeader=Authorization: Basic $basic" clone -q https://forge.example.test/acme/site.git "$RUNNER_TEMP/public"
          git clone -q "http://x:$TOKEN@hearth.localhost:47100/acme/site" "$RUNNER_TEMP/own"
          git fetch -q origin && git checkout -q -b from-job
          echo more >more && git add more && git commit -qm more && git push -q origin from-job
          cat $RUNNER_TEMP/public/README.md $RUNNER_TEMP/own/README.md && git ls-remote -q origin from-job | wc -l
`)
  expect(output).toContain('hello\nhello\n1')
  expect(conclusion).toBe('success')
})

test('REST answers name the door, and what is written names the public address', async () => {
  const { world, ada } = forge
  const { number } = await world.call(createIssue, ada, {
    ...REPO,
    title: 'A link',
    body: `${SITE}/acme/site and ${SITE}.evil.test`,
  })
  const { output } = await forge.run(
    script(`
      request GET /api/v1/repos/acme/site/issues/${number} "Authorization: Bearer $TOKEN" | grep -c 'hearth.localhost:47100/acme/site and https://forge.example.test.evil'
      request PATCH /api/v1/repos/acme/site/issues/${number} "Authorization: Bearer $TOKEN" "Content-Type: application/json" 'body={"body":"see http://hearth.localhost:47100/acme/site/runs/1"}' | head -c 4
    `),
  )
  expect(output).toBe('1\n200 ')
  expect((await world.call(getIssue, ada, { ...REPO, number })).issue.body).toBe(
    `see ${SITE}/acme/site/runs/1`,
  )
})

/** What a job tries through its door or beside it, and what it must not get. */
const HOSTILE: readonly (readonly [string, string, RegExp])[] = [
  ['the pages of the site', 'request GET /acme/site', /^403 /],
  ['the page of sign-in', 'request GET /login', /^403 /],
  ['registration', 'request POST /register "body=username=eve"', /^403 /],
  ['administration', 'request GET /admin', /^403 /],
  ['grants of OAuth', 'request POST /oauth/token "body=grant_type=x"', /^403 /],
  ['the tool server', 'request POST /mcp "Authorization: Bearer $TOKEN" "body={}"', /^403 /],
  ['metrics', 'request GET /metrics', /^403 /],
  ['the model gateway', 'request POST /model/v1/responses "Authorization: Bearer $TOKEN"', /^403 /],
  [
    'the protocol of runners',
    'request POST /api/actions/runner.v1.RunnerService/Register "body=x"',
    /^403 /,
  ],
  ['a path with dots', 'request GET /api/../login', /^40[034] /],
  ['a path with encoded dots', 'request GET /api/%2e%2e/login', /^40[034] /],
  ['another host', 'request GET /api/v1/user "Host: other.test"', /^40[01] /],
  [
    'the name of a proxy that signs in',
    'request GET /api/v1/user "X-Forwarded-User: ada" "X-Forwarded-For: 10.0.0.1" "Remote-User: ada"',
    /^401 /,
  ],
  ['a cookie', 'request GET /api/v1/user "Cookie: hearth=COOKIE"', /^401 /],
  ['a token of a person', 'request GET /api/v1/user "Authorization: Bearer PERSON"', /^403 /],
  [
    'the same as a password',
    `request GET /acme/site.git/info/refs?service=git-upload-pack "Authorization: Basic $(printf 'x:PERSON' | base64 -w0)"`,
    /^403 /,
  ],
  [
    'the same as a user name',
    `request GET /acme/site.git/info/refs?service=git-upload-pack "Authorization: Basic $(printf 'PERSON:' | base64 -w0)"`,
    /^403 /,
  ],
  [
    'the same as the key of a registry',
    'request PUT /packages/acme/nuget "X-NuGet-ApiKey: PERSON"',
    /^403 /,
  ],
  [
    'the same behind its own',
    'request GET /api/v1/user "Authorization: Bearer $TOKEN" "Authorization: Bearer PERSON"',
    /^40[03] /,
  ],
  ['the same in the address', 'request GET "/api/v1/user?access_token=PERSON"', /^401 /],
  [
    'another repository by REST',
    'request GET /api/v1/repos/other/secret "Authorization: Bearer $TOKEN"',
    /^40[34] /,
  ],
  [
    'another repository by git',
    `request GET /other/secret.git/info/refs?service=git-upload-pack "Authorization: Basic $(printf "x:$TOKEN" | base64 -w0)"`,
    /^40[134] /,
  ],
  [
    'a repository of its workspace',
    'request POST /api/v1/repos "Authorization: Bearer $TOKEN" "Content-Type: application/json" \'body={"workspace":"acme","name":"new"}\'',
    /^40[34] /,
  ],
  ['its own token', 'request GET /api/v1/user/tokens "Authorization: Bearer $TOKEN"', /^40[34] /],
]

const CONNECT = `use IO::Socket::INET; use IO::Socket::UNIX;
my $s = $ARGV[0] =~ m{^/} ? IO::Socket::UNIX->new(Peer => $ARGV[0])
  : IO::Socket::INET->new(PeerAddr => $ARGV[0], Timeout => 3);
print $s ? "connected\\n" : "refused\\n";`

/** Ports and sockets of the machine, of which a job reaches none. */
const OUTSIDE = (port: number): string[] => [
  `127.0.0.1:${port}`,
  `localhost:${port}`,
  `hearth.localhost:${port}`,
  `0.0.0.0:${port}`,
  `198.51.100.2:${port}`,
  `192.0.2.2:${port}`,
  `169.254.169.254:80`,
  '/var/run/docker.sock',
  '/run/dbus/system_bus_socket',
]

for (const network of ['none', 'internet'] as const) {
  const hostile = network === 'none' ? forge : await makeDoorWorld(network)

  test(`a job with the network ${network} gets nothing by its door that is not its own`, async () => {
    const { world, ada, server } = hostile
    const { secret = '' } = await world.call(createSettingsToken, ada, { name: 'mine' })
    const lines = HOSTILE.map(
      ([, command], n) =>
        `printf '%s ' ${n}; ${command.replaceAll('PERSON', secret ?? '')} 2>&1 | head -c 200 | tr '\\r\\n' '  '; echo`,
    )
    const outside = OUTSIDE(server.port).map(
      (target) => `perl -e '${CONNECT.replaceAll('\n', ' ')}' ${target}`,
    )
    const { output } = await hostile.run(
      script([...lines, 'echo outside', ...outside, 'echo end'].join('\n')),
    )
    const [inside = '', beyond = ''] = output.split('outside\n')
    const answers = inside.split('\n').filter((line) => line !== '')
    expect(answers).toHaveLength(HOSTILE.length)
    for (const [n, [name, , expected]] of HOSTILE.entries())
      expect(`${name}: ${answers[n]?.replace(/^\d+ /, '')}`).toMatch(
        new RegExp(`^${RegExp.escape(name)}: ${expected.source.slice(1)}`),
      )
    expect(beyond).toBe(`${'refused\n'.repeat(outside.length)}end`)
    // It was alive all the time.
    expect(
      (
        await hostile.run(
          script('request GET /api/v1/repos/acme/site "Authorization: Bearer $TOKEN" | head -c 4'),
        )
      ).output,
    ).toBe('200 ')
  }, 60_000)
}

test('a door ends with its job, and no token of an ended job opens another', async () => {
  const { output } = await forge.run(
    script('printf "%s" "$TOKEN" | base64 -w0 | base64 -w0; ls /run/door; touch /run/door/x 2>&1'),
  )
  const token = Buffer.from(
    Buffer.from(output.split('socket')[0] ?? '', 'base64').toString(),
    'base64',
  ).toString()
  expect(token).toStartWith('hth')
  expect(output).toContain('Read-only file system')
  const later = await forge.run(
    script(`request GET /api/v1/repos/acme/site "Authorization: Bearer ${token}" | head -c 4`),
  )
  expect(later.output).toBe('403 ')
})

test('where the job may only read, its door lets it write nothing', async () => {
  const { output } = await forge.run(
    script(`
      request POST /api/v1/repos/acme/site/issues "Authorization: Bearer $TOKEN" "Content-Type: application/json" 'body={"title":"x"}' | head -c 4
      git init -q . && git config user.email x@x && git config user.name x && git commit -q --allow-empty -m x
      git push -q "http://x:$TOKEN@hearth.localhost:47100/acme/site" HEAD:evil 2>&1 | grep -c fatal
    `),
    'read-all',
  )
  expect(output).toMatch(/^403 [1-9]$/)
})
