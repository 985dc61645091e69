import type { Frame, Frames } from './frames.ts'

/** `hasItem` once its list item is written, which needs the state. */
type OpenTask = { isDone: boolean; hasItem: boolean }

/** Tasks in the wiki's own rendering, in which the partitioner reads their state. */
export class TaskFrames {
  readonly #frames: Frames
  readonly #open: OpenTask[] = []

  constructor(frames: Frames) {
    this.#frames = frames
  }

  task(name: string): Frame {
    const task: OpenTask = { isDone: false, hasItem: false }
    this.#open.push(task)
    const onClose = () => {
      this.#open.pop()
      if (task.hasItem) this.#frames.tag('</li>')
    }
    return { name, onClose }
  }

  status(name: string): Frame {
    const task = this.#open.at(-1)
    return this.#frames.collect(name, (html) => {
      if (task) task.isDone = html.trim().toLowerCase() === 'complete'
    })
  }

  body(name: string): Frame {
    const task = this.#open.at(-1)
    if (!task || task.hasItem) return { name }
    task.hasItem = true
    this.#frames.tag(`<li data-inline-task-id=""${task.isDone ? ' class="checked"' : ''}>`)
    return { name }
  }
}
