#!/usr/bin/env node
// Is there before anything is built, so that a fresh checkout can link the command.
import "../dist/cli.js";
