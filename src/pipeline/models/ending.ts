import { ModelRefusal } from './exchange.ts'

/** Stop reasons of OpenAI, Anthropic and Bedrock for unfinished answers. */
const CUT = ['length', 'max_tokens', 'model_context_window_exceeded']
const DECLINED = ['content_filter', 'content_filtered', 'guardrail_intervened', 'refusal']

/**
 * A partial answer would silently lose the end of a page. The same request would end the same way, so these
 * count as refusals.
 */
export function refuseUnfinished(doing: string, reason: string | null | undefined): void {
  if (CUT.includes(reason ?? '')) throw new ModelRefusal(`${doing}: its answer was cut off (${reason})`, 200)
  if (DECLINED.includes(reason ?? ''))
    throw new ModelRefusal(`${doing}: it declines to answer (${reason})`, 200)
}
