import{a}from"./chunk-PYN5LA5B.js";import"./chunk-LK4PSQ4K.js";export{a as gameTexts};
