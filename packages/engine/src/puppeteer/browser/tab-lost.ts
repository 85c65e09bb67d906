/** The page's process or its browser ended under a render; the render can be tried again. */
export class TabLost extends Error {
  override readonly name = "TabLost";
}
