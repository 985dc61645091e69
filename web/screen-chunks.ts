import type { Plugin } from 'vite'

/** The build adds what these import. `base` has the entry and what start and sign-in share. */
const groups = [
  {
    name: 'base',
    test: /rolldown.runtime|\/web\/src\/(main|components\/(form-errors|sign-in-frame)|shell\/restored-focus)\.tsx?$|\/@mantine\/core\/esm\/components\/(ActionIcon|Alert|CloseButton|Divider|InputBase|Paper|PasswordInput|Stack|TextInput)\/|\/use-uncontrolled\//,
    priority: 4,
  },
  {
    name: 'start',
    test: /\/web\/src\/(shell\/(shell|workspace)|pages\/(home\/home-page|connectors\/queries)|texts\/sandbox)\.tsx?$|\/IconPlayerPlay\./,
    priority: 3,
  },
  { name: 'sign-in', test: /\/web\/src\/pages\/sign-in\/sign-in-page\.tsx$/, priority: 2 },
  // Apart from `shared`, which screens without forms load.
  { name: 'forms', test: /\/zod\/v4\/classic\//, priority: 2 },
  { name: 'shared', minShareCount: 5, priority: 1 },
  {
    name: 'runs',
    test: /\/web\/src\/pages\/(jobs\/(job|jobs)|workflows\/workflows?)-page\.tsx$/,
    priority: 0,
  },
]

/** Few files for the first screens. src/api/http/page.ts keeps the preload links that an address needs. */
export function screenChunks(): Plugin {
  return {
    name: 'screen-chunks',
    apply: 'build',
    config: () => ({ build: { rolldownOptions: { output: { codeSplitting: { groups } } } } }),
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle = {} }) {
        return ['start', 'sign-in'].map((screen) => {
          const chunk = Object.values(bundle).find(({ type, name }) => type === 'chunk' && name === screen)
          if (!chunk) throw new Error(`the scripts of the screen ${screen} are not in the build`)
          const attrs = {
            rel: 'modulepreload',
            crossorigin: true,
            href: `./${chunk.fileName}`,
            'data-screen': screen,
          }
          return { tag: 'link', attrs, injectTo: 'head' }
        })
      },
    },
  }
}
