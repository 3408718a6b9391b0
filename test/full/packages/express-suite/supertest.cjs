// Replaces supertest in Express' own tests: passes it the server of an application from the shim.
"use strict";
const supertest = require("supertest-6");

module.exports = (app) => supertest(app.toServer ? app.toServer() : app);
