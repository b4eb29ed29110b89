var e=class extends Error{constructor(r,o){super(o),this.code=r}get undelivered(){return this.code==="offline"||this.code==="no_answer"}};export{e as a};
