import type { WikiResponse } from './http.ts'
import type { World } from './model/model.ts'
import { escapeMarkup } from './render/macro.ts'
import { renderView } from './render/render-view.ts'

/** Pages as a browser shows them, for people who open an original from the demo; anyone may read the sample. */
export function createOriginals(world: World): (url: string) => WikiResponse | undefined {
  const account = world.accounts.find(({ name }) => name === 'crawler')
  return (url) => {
    const id = /^\/wiki\/spaces\/\w+\/pages\/(\d+)/.exec(url)?.[1]
    const page = id === undefined ? undefined : world.nodes.get(id)
    if (page === undefined || account === undefined) return undefined
    const title = escapeMarkup(page.title)
    const body = renderView({ world, account, site: 'cloud' }, page)
    return {
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8' },
      body: `<!doctype html><title>${title}</title><h1>${title}</h1>${body}`,
    }
  }
}
