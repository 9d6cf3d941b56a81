/** Dockerfiles with their files, whose images must be those of Docker's own builder. */

/** The image that all begin with, made of this machine's busybox. */
export const BASE = 'localhost/peers-base:1'

export type Case = {
  readonly name: string
  readonly dockerfile: string
  readonly files?: Readonly<Record<string, string>>
  /** Links by their paths. */
  readonly links?: Readonly<Record<string, string>>
  /** An archive with the files of a folder of the context, packed by the options of tar. */
  readonly archive?: { readonly path: string; readonly options: string; readonly from: string }
}

const FILES = {
  'a.txt': 'a\n',
  'b.txt': 'b\n',
  'c.md': 'c\n',
  'sub/d.txt': 'd\n',
  'sub/deep/e.sh': '#!/bin/sh\n',
  'other/f': 'f\n',
}

export const CASES: readonly Case[] = [
  {
    name: 'configuration',
    dockerfile: `# escape=\\
ARG TAG=1
FROM localhost/peers-base:\${TAG} AS base
ARG WHO=world
ENV GREETING="hello \${WHO}" PLAIN=a\\ b
ENV OLD form of it
ENV NEXT=$GREETING/\${UNSET:-default}/\${OLD:+set}
LABEL one=1 "two words"="x $WHO" three='$WHO'
EXPOSE 80 8000-8002/udp
VOLUME /data "/more"
VOLUME ["/list"]
WORKDIR /work
WORKDIR below/$WHO
USER bob
STOPSIGNAL SIGINT
HEALTHCHECK --interval=1m30s --timeout=5s --retries=2 CMD test -f /x || exit 1
SHELL ["/bin/sh", "-ec"]
ONBUILD RUN echo later
CMD echo $GREETING
ENTRYPOINT ["/bin/echo", "$GREETING"]
`,
  },
  { name: 'entrypoint after cmd', dockerfile: `FROM ${BASE}\nCMD ["a"]\nENTRYPOINT b c\n` },
  { name: 'entrypoint without cmd', dockerfile: `FROM ${BASE}\nENTRYPOINT ["b"]\n` },
  { name: 'cmd alone', dockerfile: `FROM ${BASE}\nCMD [ "x", "y" ] and more\n` },
  {
    name: 'cmd of a base goes with a new entrypoint',
    dockerfile: `FROM ${BASE} AS one\nCMD ["kept"]\nFROM one AS two\nRUN true\nFROM one\nENTRYPOINT ["e"]\n`,
  },
  { name: 'no program', dockerfile: `FROM ${BASE}\nRUN echo x >/x\n` },
  { name: 'no health', dockerfile: `FROM ${BASE}\nHEALTHCHECK NONE\nRUN echo 1 >/h\nCMD a\n` },
  {
    name: 'arguments and environment',
    dockerfile: `FROM ${BASE}
ENV A=env
ARG A=arg B C=c
RUN echo "$A-$B-$C" >/one
ENV A=again
RUN echo "$A" >/two && env | grep -c ^C= >/three
ARG TARGETARCH
RUN echo "$TARGETARCH" >/four
`,
  },
  {
    name: 'arguments of the stage that another one begins with',
    dockerfile: `FROM ${BASE} AS one
ARG A=arg
FROM one
ARG B=$A
RUN echo "$A-$B" >/seen
`,
  },
  {
    name: 'copy',
    files: FILES,
    links: { link: 'sub', 'sub/up': '../a.txt', far: '/etc/passwd' },
    dockerfile: `FROM ${BASE}
COPY a.txt /one
COPY a.txt /dir/
COPY a.txt b.txt /both/
COPY *.txt /globs/
COPY [a-b].tx? sub /mixed/
COPY nothing* /none/
COPY sub /sub
COPY sub /sub/
COPY sub/ /
COPY . /all
COPY link /through
COPY other/f /etc
WORKDIR /here
COPY a.txt there
COPY ["b.txt", "c.md", "list/"]
`,
  },
  {
    name: 'ignored files',
    files: { ...FILES, '.dockerignore': '# no\n*.txt\n!b.txt\nsub/*\n!sub/deep\n**/f\n' },
    dockerfile: `FROM ${BASE}\nCOPY . /all\nCOPY *.txt /globs/\n`,
  },
  {
    name: 'ignored files of one Dockerfile',
    files: { ...FILES, '.dockerignore': 'a.txt\n', 'Dockerfile.dockerignore': 'b.txt\n' },
    dockerfile: `FROM ${BASE}\nCOPY . /all\n`,
  },
  {
    name: 'owners and modes',
    files: FILES,
    dockerfile: `FROM ${BASE}
USER bob
WORKDIR /of/bob
COPY a.txt /root-owned
COPY --chown=bob sub /bobs/
COPY --chown=bob:staff a.txt /named
COPY --chown=7 sub /seven
COPY --chown=7:8 --chmod=640 a.txt /numbers
RUN id -u >/tmp/who; id -g >>/tmp/who; umask 077; echo x >/tmp/mine
`,
  },
  {
    name: 'stages',
    files: FILES,
    dockerfile: `FROM ${BASE} AS build
RUN mkdir -p /o/d /lib/x && echo 1 >/o/f && chown 5:6 /o/f /o/d && ln -s f /o/l && ln -s /o /lnk && ln /o/f /o/hard
FROM ${BASE} AS unused
RUN exit 1
FROM build AS more
COPY --from=0 /o /again
RUN echo more >/again/more
FROM ${BASE}
COPY --from=build /o /o2
COPY --from=build /lnk/f /p/q/f
COPY --from=build /lnk /followed
COPY --from=more /again/m* /again/l /globs/
COPY --from=${BASE} /etc/passwd /etc/pass
COPY --from=0 --chown=bob /o /bobs
`,
  },
  {
    name: 'nothing to begin with',
    files: FILES,
    dockerfile: `FROM ${BASE} AS tools
FROM scratch
COPY --from=tools /bin /bin
COPY a.txt /
ENTRYPOINT ["/bin/cat", "/a.txt"]
`,
  },
  {
    name: 'archives',
    files: FILES,
    archive: { path: 'packed.tgz', options: '-cz', from: 'sub' },
    dockerfile: `FROM ${BASE}\nADD packed.tgz /unpacked/\nADD a.txt /plain\nCOPY packed.tgz /copied\n`,
  },
  {
    name: 'archives that are not packed',
    files: FILES,
    archive: { path: 'plain.tar', options: '-c', from: 'sub' },
    dockerfile: `FROM ${BASE}\nADD plain.tar c.md /unpacked/\n`,
  },
  {
    name: 'forms of RUN',
    dockerfile: `FROM ${BASE}
WORKDIR /w
RUN echo "quoted \\$HOME $HOME" \\
  # a comment within

  && echo more >/more
RUN ["/bin/sh", "-c", "echo exec >/exec; pwd >/cwd; echo $0 $HOME >/homes"]
SHELL ["/bin/sh", "-x", "-c"]
RUN echo shell >/shell
USER bob
RUN echo "$HOME" >/tmp/home
`,
  },
  {
    name: 'instructions for images that are made of it',
    files: FILES,
    dockerfile: `FROM ${BASE} AS parent
ONBUILD COPY a.txt /triggered
ONBUILD RUN echo ran >/ran
FROM parent
RUN cat /triggered /ran >/both
`,
  },
  {
    name: 'a folder that a link leads to',
    files: FILES,
    dockerfile: `FROM ${BASE}
RUN mkdir /real && ln -s real /link && ln -s /real/file /dangling
COPY a.txt /link/
COPY a.txt /link/deeper/x
COPY sub /link/sub
WORKDIR /link/work
COPY b.txt .
`,
  },
]
