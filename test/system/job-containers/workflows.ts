/** The workflows of `job-containers.ts`. What they print as RESULT is compared. */
import { IMAGE } from './images.ts'

/** The capabilities that a container may have (capabilities(7)), as /proc shows them. */
const CAPABILITIES = '00000000800405fb'

/** With Docker and without its userns-remap, which alone of the walls is another. */
export const IS_ROOT = 'RESULT is root of the machine'

export const RESULTS = [
  'RESULT after yes 1',
  'RESULT always',
  'RESULT beside served',
  'RESULT door acme/site',
  'RESULT door acme/site',
  'RESULT image input /github/workspace',
  'RESULT image reaches served served',
  'RESULT next one two',
  'RESULT no rights by a file',
  'RESULT port 8080',
  'RESULT post',
  'RESULT pre',
  'RESULT probed',
  'RESULT walls hold',
  'RESULT within served file content 0',
  'RESULT written by job 2',
]

/** What says whether a connection succeeds. The wget of a static busybox fails at every number. */
const connects = (address: string): string => {
  const [host, port = '80'] = address.split(':')
  return `nc -w 3 ${host} ${port} </dev/null >/dev/null 2>&1`
}

/** Connections that must not succeed, to this machine by its address and by slirp4netns's name. */
const probes = (addresses: readonly string[]): string =>
  addresses.map((one) => `${connects(one)} && echo "RESULT reached ${one}" || :`).join('; ')

const WALLS = [
  `grep -q 'CapEff:.${CAPABILITIES}' /proc/self/status || grep CapEff /proc/self/status`,
  'grep -q "^ *0 *0 " /proc/self/uid_map && echo RESULT is root of the machine',
  'grep -q "NoNewPrivs:.1" /proc/self/status || echo RESULT may gain privileges',
  'mknod /tmp/disk b 8 0 2>/dev/null && echo RESULT made a device',
  'mount -t tmpfs none /tmp 2>/dev/null && echo RESULT mounted',
  'unshare -U true 2>/dev/null && echo RESULT made a namespace of users',
  'unshare -n true 2>/dev/null && echo RESULT made a namespace of networks',
  'grep -q "Seccomp:.2" /proc/self/status || echo RESULT has no filter of system calls',
  'ip rule del pref 20 2>/dev/null && echo RESULT removed a rule of the network',
  'ls /sys/fs/cgroup/*/pids.max /sys/fs/cgroup/pids.max 2>/dev/null | while read -r f; do cat $f; done | grep -q max && echo RESULT has no limit of processes',
  'echo RESULT walls hold',
].join('; ')

/** The full name of its repository, as the forge answers it by the door. */
const DOOR = `wget -q -O - --header "Authorization: Bearer $TOKEN" $GITHUB_API_URL/repos/acme/site | grep -o '"full_name":"[^"]*"' | cut -d '"' -f 4`

export const workflow = (addresses: readonly string[]): string => `on: push
jobs:
  beside:
    runs-on: ubuntu-latest
    services:
      web:
        image: ${IMAGE}
        env:
          WORD: \${{ secrets.KEY }}
        ports: ['8080:80']
        options: --health-cmd "cat /www/word" --health-interval 1s --memory 64m
    steps:
      - run: |
          echo "RESULT beside $(curl -s http://localhost:8080/)"
          echo "RESULT port \${{ job.services.web.ports['80'] }}"
          curl -s http://localhost:8080/word
      - uses: docker://${IMAGE}
        with: { entrypoint: /bin/sh, args: -c "echo RESULT image $INPUT_MORE $(pwd) >>out.txt; cat out.txt; echo made=yes >>$GITHUB_OUTPUT", more: input }
        id: image
      - run: |
          echo "RESULT after \${{ steps.image.outputs.made }} $(cat out.txt | wc -l)"
          echo more >>out.txt && echo "RESULT written by job $(cat out.txt | wc -l)"
      - run: cp /bin/bash shell
      - uses: docker://${IMAGE}
        with: { entrypoint: /bin/sh, args: -c "cp shell owned && chmod 4755 owned" }
      - run: |
          [ -O owned ] || echo RESULT has a file of another user
          [ "$(./owned -p -c 'id -u')" = "$(id -u)" ] && rm shell owned && echo RESULT no rights by a file
      - uses: actions/checkout@v4
      - uses: ./reach
  within:
    runs-on: ubuntu-latest
    container: { image: ${IMAGE}, env: { FROM: file } }
    services: { web: { image: ${IMAGE} } }
    env: { TOKEN: '\${{ github.token }}' }
    steps:
      - uses: actions/checkout@v4
      - { shell: sh, run: 'echo "RESULT within $(wget -q -O - http://web/) $FROM $(cat a.txt) $(id -u)"' }
      - { shell: sh, run: '${probes(addresses)}; ${connects('127.0.0.1:80')} && echo RESULT probed' }
      - shell: sh
        run: |
          ${WALLS}
      - shell: sh
        run: |
          echo "RESULT door $(${DOOR})"
      - { shell: sh, run: 'echo "NEXT=one two" >>$GITHUB_ENV' }
      - { shell: sh, run: 'echo "RESULT next $NEXT"; exit 3' }
      - { shell: sh, if: always(), run: 'echo "RESULT always"' }
  refused:
    runs-on: ubuntu-latest
    container: { image: ${IMAGE}, options: --privileged }
    steps: [{ run: echo RESULT never }]
  mounted:
    runs-on: ubuntu-latest
    services: { web: { image: ${IMAGE}, volumes: ['/:/host'] } }
    steps: [{ run: echo RESULT never }]
`

/** An action with an image, whose programs before and after it have their say. */
export const ACTION = {
  'reach/action.yml': `name: Reach
description: What an image reaches.
inputs: { token: { default: '\${{ github.token }}' } }
runs:
  using: docker
  image: docker://${IMAGE}
  pre-entrypoint: /github/workspace/reach/pre.sh
  entrypoint: /github/workspace/reach/main.sh
  post-entrypoint: /github/workspace/reach/post.sh
  env: { TOKEN: '\${{ inputs.token }}' }
`,
  'reach/pre.sh': '#!/bin/sh\necho RESULT pre\necho "kept=word" >>$GITHUB_STATE\n',
  'reach/main.sh': `#!/bin/sh
echo "RESULT image reaches $(wget -q -O - http://web/) $(wget -q -O - http://localhost:8080/)"
echo "RESULT door $(${DOOR})"
`,
  'reach/post.sh': '#!/bin/sh\n[ "$STATE_kept" = word ] && echo RESULT post\n',
}

export const SLOW = `on: push
jobs:
  slow:
    runs-on: ubuntu-latest
    container: ${IMAGE}
    services: { web: { image: ${IMAGE} } }
    steps: [{ shell: sh, run: 'echo begun; sleep 600' }]
`

/** The file of the base, which a change from outside starts: a job in a container, and one that tries for more. */
export const OUTSIDE = (addresses: readonly string[]): string => `on: pull_request
permissions: write-all
jobs:
  within:
    runs-on: ubuntu-latest
    container: ${IMAGE}
    services: { web: { image: ${IMAGE} } }
    steps: [{ shell: sh, run: echo RESULT had a container }]
  image:
    runs-on: ubuntu-latest
    steps: [{ uses: 'docker://${IMAGE}', with: { args: echo RESULT had an image } }]
  tries:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: sh ./build.sh
        env: { KEY: '\${{ secrets.KEY }}', TOKEN: '\${{ github.token }}', PROBED: ${addresses.join(' ')} }
      - uses: actions/cache/save@v4
        with: { path: build.sh, key: poisoned }
        continue-on-error: true
`

/** What somebody without a role makes of a script that the base's file starts. */
export const OUTSIDE_SCRIPT = `echo "RESULT key [$KEY]"
call() { curl -s -o answer -w '%{http_code}' -H "Authorization: Bearer $TOKEN" "$@"; }
echo "RESULT reads $(call "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY")"
echo "RESULT writes $(call -X POST -H 'Content-Type: application/json' -d '{"title":"x"}' "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues")"
echo "RESULT secrets $(call "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/actions/secrets")"
git init -q . 2>/dev/null; git -c user.name=x -c user.email=x@x commit -q --allow-empty -m x
git -c http.extraHeader="Authorization: Basic $(printf 'x:%s' "$TOKEN" | base64 -w0)" push -q "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY.git" HEAD:refs/heads/pwned 2>/dev/null && echo RESULT pushed
for one in $PROBED; do curl -s -m 3 -o /dev/null "http://$one/" && echo "RESULT reached $one"; done
which podman >/dev/null 2>&1 && podman --remote ps >/dev/null 2>&1 && echo RESULT used podman
ls /run/podman/podman.sock /var/run/docker.sock 2>/dev/null && echo RESULT sees a socket
echo RESULT tried
`

/** Keeps 300 MiB, so that one service may and two may not. */
const HOARD = `--entrypoint '["tail", "-c", "300m", "/dev/zero"]'`

/** Jobs that take more than they may: in the container of the steps, in a service, on the disk. */
export const GREEDY = `on: push
jobs:
  memory:
    runs-on: ubuntu-latest
    container: ${IMAGE}
    steps: [{ shell: sh, run: 'tail -c 2000m /dev/zero; exit 3' }]
  image:
    runs-on: ubuntu-latest
    steps: [{ uses: 'docker://${IMAGE}', with: { entrypoint: tail, args: '-c 2000m /dev/zero' } }]
  sandbox:
    runs-on: ubuntu-latest
    steps: [{ run: 'for n in 1 2 3; do cat /dev/zero | tail -c 200M & done; wait; exit 3' }]
  alone:
    runs-on: ubuntu-latest
    services: { one: { image: ${IMAGE}, options: ${JSON.stringify(`--entrypoint '["sh", "-c", "sleep 5; tail -c 2000m /dev/zero"]'`)} } }
    steps: [{ run: sleep 60; echo RESULT the service had memory }]
  service:
    runs-on: ubuntu-latest
    services:
      one: { image: ${IMAGE}, options: ${JSON.stringify(HOARD)} }
      two: { image: ${IMAGE}, options: ${JSON.stringify(HOARD)} }
    steps: [{ run: sleep 60; echo RESULT services had memory }]
  disk:
    runs-on: ubuntu-latest
    container: ${IMAGE}
    steps: [{ shell: sh, run: 'dd if=/dev/zero of=/big bs=1M count=600; sleep 20; echo RESULT had disk' }]
`

export const pulls = (registry: string, port: number): string => `on: push
jobs:
  mine:
    runs-on: ubuntu-latest
    container:
      image: ${registry}/acme/tool:1
      credentials: { username: robot, password: '\${{ secrets.KEY }}' }
    steps: [{ shell: sh, run: echo RESULT pulled }]
  theirs:
    needs: mine
    runs-on: ubuntu-latest
    container: ${registry}/acme/tool:1
    steps: [{ shell: sh, run: echo RESULT never }]
  digest:
    needs: mine
    runs-on: ubuntu-latest
    container: ${registry}/acme/tool@sha256:DIGEST
    steps: [{ shell: sh, run: echo RESULT never }]
  loopback:
    runs-on: ubuntu-latest
    container: 127.0.0.1:${port}/acme/tool:1
    steps: [{ shell: sh, run: echo RESULT never }]
`

/**
 * Actions that are built from a Dockerfile. `stamp` is made anew by every build, so that it tells
 * whether an image was built or found.
 */
export const BUILT_ACTION = (probed: readonly string[], far: string): Record<string, string> => ({
  'made/action.yml': `name: Made
description: Is built from a Dockerfile.
inputs: { word: { required: true } }
runs: { using: docker, image: docker/Dockerfile, args: ['\${{ inputs.word }}'] }
`,
  'made/docker/Dockerfile': `# syntax=docker/dockerfile:1
FROM ${IMAGE} AS first
ARG WORD=from
RUN cat /proc/sys/kernel/random/uuid >/stamp && mkdir /made && mkdir -m 777 /open
RUN ${probes(probed)}; true
RUN ${WALLS.replace('echo RESULT walls hold', 'true')}
RUN wget -T 3 -q -O - http://localhost:47100/ >/dev/null 2>&1 && echo RESULT used the proxy; true
RUN cat /proc/1/environ 2>/dev/null | grep -q HTTPS_PROXY && echo RESULT read the proxy; true
RUN grep -q "^ *0 *0 " /proc/self/uid_map && echo RESULT is root of the machine; ls /dev/vda /dev/kvm 2>/dev/null && echo RESULT sees devices; true
RUN ${connects(far)} && echo far >/far
USER 65534
RUN echo "user $(id -u)" >/open/user
USER 0
FROM first
ARG WORD=from
ENV SAID="$WORD env \${UNSET:-default}"
COPY main.sh m?re/*.txt /made/
COPY . /all/
COPY --from=first /stamp /copied/
ENTRYPOINT ["/bin/sh", "/made/main.sh"]
`,
  'made/docker/main.sh': `[ "$1" = one ] && echo "RESULT holds $SAID, $(cat /far), $(cat /open/user), $(echo $(ls /all))"
[ "$(cat /stamp)" = "$(cat /copied/stamp)" ] || echo RESULT has another stamp
echo "RESULT made $1 $INPUT_WORD $(cat /made/linked.txt) $(pwd)"
echo "stamp=$(cat /stamp)" >>$GITHUB_OUTPUT
`,
  'made/docker/more/linked.txt': 'linked',
  'made/docker/left-out/file': 'out',
  'made/docker/.dockerignore': 'left-out\n.dockerignore\n',
})

const made = (id: string): string =>
  `      - { uses: ./made, id: ${id}, with: { word: '${id}' } }
`

export const BUILDS = `on: push
jobs:
  first:
    runs-on: ubuntu-latest
    outputs: { stamp: '\${{ steps.one.outputs.stamp }}' }
    steps:
      - uses: actions/checkout@v4
${made('one')}${made('two')}      - run: '[ "\${{ steps.one.outputs.stamp }}" = "\${{ steps.two.outputs.stamp }}" ] && echo RESULT one image in a job'
  second:
    needs: first
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
${made('three')}      - run: '[ "\${{ steps.three.outputs.stamp }}" = "\${{ needs.first.outputs.stamp }}" ] && echo RESULT one image of two jobs'
      - run: echo more >>made/docker/main.sh; sed -i '$d' made/docker/main.sh; echo 'echo RESULT changed' >>made/docker/main.sh
      - { uses: ./made, with: { word: four } }
  disk:
    runs-on: ubuntu-latest
    steps:
      - run: |
          mkdir large broken
          printf 'FROM ${IMAGE}\\nRUN dd if=/dev/zero of=/big bs=1M count=600; sleep 20\\n' >large/Dockerfile
          printf 'FROM ${IMAGE}\\nRUN echo said before\\nRUN exit 7\\n' >broken/Dockerfile
          for one in large broken; do printf 'runs: { using: docker, image: Dockerfile }\\n' >$one/action.yml; done
      - { uses: ./broken, continue-on-error: true }
      - uses: ./large
  memory:
    runs-on: ubuntu-latest
    steps:
      - run: |
          mkdir greedy
          printf 'FROM ${IMAGE}\\nRUN tail -c 2000m /dev/zero\\n' >greedy/Dockerfile
          printf 'runs: { using: docker, image: Dockerfile }\\n' >greedy/action.yml
      - uses: ./greedy
  together:
    runs-on: ubuntu-latest
    steps:
      - run: |
          mkdir greedy
          printf 'FROM ${IMAGE}\\nRUN for n in 1 2 3; do cat /dev/zero | tail -c 200m & done; wait; exit 3\\n' >greedy/Dockerfile
          printf 'runs: { using: docker, image: Dockerfile }\\n' >greedy/action.yml
      - uses: ./greedy
`

export const BUILD_RESULTS = [
  'RESULT changed',
  'RESULT holds from env default, far, user 65534, Dockerfile main.sh more',
  'RESULT made four four linked /github/workspace',
  'RESULT made one one linked /github/workspace',
  'RESULT made three three linked /github/workspace',
  'RESULT made two two linked /github/workspace',
  'RESULT one image in a job',
  'RESULT one image of two jobs',
]

/** What Docker's images are not built with, and says so before anything runs. */
export const REFUSED_BUILDS = `on: push
jobs:
  refused:
    runs-on: ubuntu-latest
    steps:
      - run: |
          for one in address mount user; do mkdir $one; printf 'runs: { using: docker, image: Dockerfile }\\n' >$one/action.yml; done
          printf 'FROM ${IMAGE}\\nRUN echo RESULT ran\\nADD https://example.com/x /x\\n' >address/Dockerfile
          printf 'FROM ${IMAGE}\\nRUN echo RESULT ran\\nRUN --mount=type=secret,id=x true\\n' >mount/Dockerfile
          printf 'FROM ${IMAGE}\\nUSER nobody-here\\nRUN echo RESULT ran\\n' >user/Dockerfile
      - { uses: ./address, continue-on-error: true }
      - { uses: ./mount, continue-on-error: true }
      - { uses: ./user, continue-on-error: true }
`

/** An image that is built for minutes. */
export const SLOW_BUILD = `on: push
jobs:
  slow:
    runs-on: ubuntu-latest
    steps:
      - run: |
          mkdir slow
          printf 'FROM ${IMAGE}\\nRUN echo one >/one\\nRUN echo begun; sleep 600\\n' >slow/Dockerfile
          printf 'runs: { using: docker, image: Dockerfile }\\n' >slow/action.yml
      - uses: ./slow
`
